import { AppError } from '@agent-wallet/errors';
import { createLogger } from '@agent-wallet/process';
import { createLocalSigner, type Signer } from '@agent-wallet/signer';
import { Keypair } from '@solana/web3.js';
import { expect, test } from 'vitest';
import { createFeePayers, type FeePayers } from './fee-payers.ts';
import { createMetrics } from '../metrics.ts';

const FLOOR = 10_000_000n;
const RECIPIENT = 'somebody else';
const KEYS = Array.from({ length: 4 }, () => createLocalSigner(Keypair.generate()));
const SESSIONS = Array.from({ length: 200 }, (_, i) => `session ${i}`);
const addressOf = (signer: Signer | undefined): string => signer?.address ?? '';

function feePayersWith(
  lamportsOf: (address: string) => bigint | null,
  signers: readonly Signer[] = KEYS,
): { payers: FeePayers; metrics: ReturnType<typeof createMetrics> } {
  const metrics = createMetrics();
  const payers = createFeePayers({
    signers,
    floorLamports: FLOOR,
    log: createLogger({ name: 'test', level: 'fatal' }),
    metrics,
    recordBalances: async () => undefined,
    rpc: {
      accounts: async (addresses) => ({
        slot: 1n,
        accounts: addresses.map((address) => {
          const lamports = lamportsOf(address);
          if (lamports === null) return null;
          return { address, owner: 'system', lamports, data: new Uint8Array() };
        }),
      }),
    },
  });
  return { payers, metrics };
}

const chosenBy = (payers: FeePayers): readonly string[] =>
  SESSIONS.map((session) => addressOf(payers.payerOf(session, RECIPIENT)));

test('sessions are spread over the pool and each keeps its payer', async () => {
  const { payers } = feePayersWith(() => FLOOR);
  await payers.refresh();
  const chosen = chosenBy(payers);
  expect(new Set(chosen).size).toBe(KEYS.length);
  expect(chosenBy(payers)).toEqual(chosen);
});

test('the recipient of a spend never pays for it', () => {
  const { payers } = feePayersWith(() => FLOOR);
  const recipient = addressOf(KEYS[2]);
  const chosen = SESSIONS.map((session) => addressOf(payers.payerOf(session, recipient)));
  expect(chosen).not.toContain(recipient);
});

test.each([
  ['below its floor', FLOOR - 1n],
  ['without an account', null],
])('a payer %s is not used; the other sessions keep theirs', async (_case, lamports) => {
  const { payers, metrics } = feePayersWith((address) =>
    address === addressOf(KEYS[1]) ? lamports : FLOOR,
  );
  const before = chosenBy(payers);
  await payers.refresh();
  const after = chosenBy(payers);
  expect(before).toContain(addressOf(KEYS[1]));
  expect(after).not.toContain(addressOf(KEYS[1]));
  const moved = after.filter((address, i) => address !== before[i]);
  expect(moved).toHaveLength(before.filter((address) => address === addressOf(KEYS[1])).length);
  expect((await metrics.feePayersBelowFloor.get()).values[0]?.value).toBe(1);
});

test('a payer that was filled up is used again', async () => {
  let lamports = 0n;
  const { payers, metrics } = feePayersWith(() => lamports);
  await payers.refresh();
  expect(() => chosenBy(payers)).toThrow('FEE_PAYERS_EMPTY');
  lamports = FLOOR;
  await payers.refresh();
  expect(new Set(chosenBy(payers)).size).toBe(KEYS.length);
  expect((await metrics.feePayersBelowFloor.get()).values[0]?.value).toBe(0);
});

test('a pool in which nobody can pay is a fault of its own', async () => {
  const { payers } = feePayersWith(() => 0n);
  await payers.refresh();
  expect(() => payers.payerOf('session', RECIPIENT)).toThrow(
    expect.objectContaining({ code: 'FEE_PAYERS_EMPTY' }),
  );
});

test('the last known balances stand while the chain is away', async () => {
  let away = false;
  const { payers } = feePayersWith((address) => {
    if (away) throw new AppError('RPC_UNAVAILABLE');
    return address === addressOf(KEYS[0]) ? 0n : FLOOR;
  });
  await payers.refresh();
  away = true;
  await expect(payers.refresh()).rejects.toThrow('RPC_UNAVAILABLE');
  expect(chosenBy(payers)).not.toContain(addressOf(KEYS[0]));
});

test('a pool of the recipient alone is a mistake of the setting, not of the balances', () => {
  const [only] = KEYS;
  const { payers } = feePayersWith(() => FLOOR, only === undefined ? [] : [only]);
  expect(() => payers.payerOf('session', addressOf(only))).toThrow(RangeError);
});
