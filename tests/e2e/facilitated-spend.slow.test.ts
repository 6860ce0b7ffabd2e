/** Payments that an x402 facilitator pays the fee for and sends, on a real chain. */
import { listAudit, verifyAudit } from '@agent-wallet/audit';
import {
  findSpends,
  recordSignature,
  readReleased,
  releaseAttempt,
  type ReleasedAttempt,
  type Spend,
} from '@agent-wallet/spend';
import { Keypair, PublicKey, VersionedTransaction } from '@solana/web3.js';
import { sql } from 'slonik';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { TEST_NETWORK } from '@agent-wallet/local-system/paid-services/test-network.ts';
import { appProcesses } from '@agent-wallet/local-system/system/app-processes.ts';
import { createFacilitatorKey, type FacilitatorKey } from '../support/chain/facilitator-key.ts';
import {
  createLaneFixture,
  type LaneFixture,
  type TestSession,
  type TestWallet,
} from '../support/system/lane-fixture.ts';
import { useSystem } from '../support/system/use-system.ts';
import { openFacilitator } from '../support/services/in-process-facilitator.ts';
import { waitUntil } from '../support/wait-until.ts';

const system = useSystem({
  // An expiry is proven in some ten seconds.
  slotTimeMs: 50,
  processes: (surroundings) => appProcesses(surroundings).filter(({ role }) => role !== 'api'),
});
let fixture: LaneFixture;
const feePayer = Keypair.generate();
let facilitator: FacilitatorKey;
beforeAll(async () => {
  fixture = await createLaneFixture(system());
  facilitator = createFacilitatorKey(fixture, feePayer);
  await system().faucet.sol(new PublicKey(facilitator.address), 1_000_000_000);
});
afterAll(() => fixture[Symbol.asyncDispose]());

const FUNDS = 1_000_000n;

type Scene = {
  readonly wallet: TestWallet;
  readonly session: TestSession;
  readonly service: string;
};

async function createScene(): Promise<Scene> {
  const wallet = await fixture.createWallet(FUNDS);
  const service = await fixture.createRecipient();
  const session = await fixture.createSession(wallet, { recipients: [service] });
  return { wallet, session, service };
}

/** Requests a standard x402 payment. */
function requestFor(
  { wallet, session, service }: Scene,
  request: { amount?: bigint; recipient?: string; feePayer?: string; memo?: string } = {},
): Promise<string> {
  return fixture.request(wallet, session, {
    recipient: request.recipient ?? service,
    amount: request.amount ?? 1_000n,
    kind: 'pay_service',
    url: 'https://service.example/paid',
    facilitator: { feePayer: request.feePayer ?? facilitator.address, memo: request.memo ?? null },
  });
}

async function read(spendId: string): Promise<Spend> {
  const [spend] = await findSpends(fixture.db, [spendId]);
  if (spend === undefined) throw new Error('no such spend');
  return spend;
}

/** Waits for the attempt and takes its bytes out. */
async function release(spendId: string): Promise<ReleasedAttempt> {
  await waitUntil('the attempt', async () => (await read(spendId)).attempt === 1);
  const released = await releaseAttempt(fixture.db, spendId);
  if (released === null) throw new Error('not released');
  return released;
}

const settledOne = async (spendId: string): Promise<Spend | undefined> =>
  (await fixture.settled([spendId]))[0];

const balanceOf = (owner: string): Promise<bigint> =>
  fixture.balance(fixture.program.addresses.usdcAta(owner));

async function lamportsOf(address: string): Promise<bigint> {
  const { accounts } = await fixture.rpc.accounts([address], { commitment: 'confirmed' });
  return accounts[0]?.lamports ?? 0n;
}

describe('a payment that the facilitator settles', () => {
  test.each(['hint', 'history'])('is confirmed by the %s, once, and audited', async (way) => {
    const scene = await createScene();
    const spendId = await requestFor(scene);
    const { wire } = await release(spendId);
    expect(await balanceOf(scene.service)).toBe(0n);
    expect(await readReleased(fixture.db, spendId)).toMatchObject({ wire });
    const before = await lamportsOf(facilitator.address);
    const signature = await facilitator.settle(wire);
    if (way === 'hint') await recordSignature(fixture.db, spendId, signature);
    const spend = await settledOne(spendId);
    expect(spend).toMatchObject({ attempt: 1, broadcasts: 0, code: null, txSignature: signature });
    expect(await readReleased(fixture.db, spendId)).toBeNull();
    expect(await balanceOf(scene.service)).toBe(1_000n);
    expect(await fixture.balance(scene.wallet.vaultUsdcAta)).toBe(FUNDS - 1_000n);
    expect(await lamportsOf(facilitator.address)).toBeLessThan(before);
    const rows = await listAudit(fixture.db, { walletId: scene.wallet.walletId, limit: 10 });
    expect(rows.find((row) => row.spendId === spendId)).toMatchObject({
      action: 'pay_service',
      decision: 'allow',
      amount: 1_000n,
      txSignature: signature,
    });
    await waitUntil('it is final', async () => (await read(spendId)).status === 'finalized');
    expect(await verifyAudit(fixture.db, scene.wallet.walletId)).toMatchObject({ kind: 'intact' });
  });

  test('is confirmed as what it is, whatever transaction a service names', async () => {
    const scene = await createScene();
    const [other] = await fixture.settled([
      await fixture.request(scene.wallet, scene.session, { recipient: scene.service, amount: 5n }),
    ]);
    const spendId = await requestFor(scene);
    const { wire } = await release(spendId);
    expect(await recordSignature(fixture.db, spendId, other?.txSignature ?? '')).toBe(true);
    await waitUntil('the hint was looked at', () => lookedSince(spendId));
    expect(await read(spendId)).toMatchObject({ status: 'in_flight', txSignature: null });
    const signature = await facilitator.settle(wire);
    expect(await settledOne(spendId)).toMatchObject({ code: null, txSignature: signature });
    expect(await balanceOf(scene.service)).toBe(1_005n);
  });

  test('carries the memo of the challenge word for word, or else its own id', async () => {
    const scene = await createScene();
    const memo = 'commande nº 7 – déjà payée? "oui"';
    const [worded, plain] = [await requestFor(scene, { memo }), await requestFor(scene)];
    expect(memoOf(await release(worded))).toBe(memo);
    expect(memoOf(await release(plain))).toBe(plain);
  });
});

function memoOf({ wire }: ReleasedAttempt): string {
  const { message } = VersionedTransaction.deserialize(wire);
  return Buffer.from(message.compiledInstructions.at(-1)?.data ?? []).toString('utf8');
}

describe('the reference facilitator of x402', () => {
  test.each([null, 'order-17 "déjà vu"'])(
    'accepts and settles a payment with the required memo %j',
    async (memo) => {
      const scene = await createScene();
      const spendId = await requestFor(scene, memo === null ? {} : { memo });
      const { wire } = await release(spendId);
      const reference = await openFacilitator({
        rpcUrl: system().urls.rpc,
        feePayer,
        programId: fixture.program.programId,
        usdcMint: fixture.program.usdcMint,
      });
      const requirements = {
        scheme: 'exact',
        network: TEST_NETWORK,
        asset: fixture.program.usdcMint,
        amount: '1000',
        payTo: scene.service,
        maxTimeoutSeconds: 60,
        extra: { feePayer: facilitator.address, ...(memo === null ? {} : { memo }) },
      };
      const payload = {
        x402Version: 2,
        accepted: requirements,
        payload: { transaction: Buffer.from(wire).toString('base64') },
      };
      expect(await reference.verify(payload, requirements)).toMatchObject({ isValid: true });
      const settled = await reference.settle(payload, requirements);
      expect(settled).toMatchObject({ success: true });
      await recordSignature(fixture.db, spendId, settled.transaction);
      expect(await settledOne(spendId)).toMatchObject({
        code: null,
        txSignature: settled.transaction,
      });
      expect(await balanceOf(scene.service)).toBe(1_000n);
    },
  );
});

/** Two looks after now have ended. */
async function lookedSince(spendId: string): Promise<boolean> {
  const lookAt = sql.type(z.object({ lookAt: z.date() }));
  const next = async (): Promise<number> => {
    const row = await fixture.db.one(lookAt`
      select look_at as "lookAt" from attempt_watch where spend_id = ${spendId}::uuid
    `);
    return row.lookAt.getTime();
  };
  const first = await next();
  const second = await waitUntil('a look', async () => ((await next()) > first ? next() : null));
  return waitUntil('another look', async () => (await next()) > second);
}

describe('a payment that nobody settles', () => {
  test('is open until its expiry is proven, then not settled, and its money is free', async () => {
    const scene = await createScene();
    const spendId = await requestFor(scene, { amount: 900_000n });
    const { wire } = await release(spendId);
    const spend = await settledOne(spendId);
    expect(spend).toMatchObject({ status: 'rejected', code: 'NOT_SETTLED', txSignature: null });
    expect(await readReleased(fixture.db, spendId)).toBeNull();
    // What was proven to be expired does not land when it is sent after all.
    await expect(facilitator.settle(wire)).rejects.toThrow('Blockhash not found');
    expect(await balanceOf(scene.service)).toBe(0n);
    const rows = await listAudit(fixture.db, { walletId: scene.wallet.walletId, limit: 10 });
    expect(rows.find((row) => row.spendId === spendId)).toMatchObject({
      decision: 'deny',
      reason: 'NOT_SETTLED',
    });
  });

  test('and whose bytes never left was never sent', async () => {
    const spendId = await requestFor(await createScene());
    expect(await settledOne(spendId)).toMatchObject({
      status: 'rejected',
      code: 'NEVER_LANDED',
      releasedAt: null,
      attempt: 1,
    });
    expect(await releaseAttempt(fixture.db, spendId)).toBeNull();
  });

  test('does not hold up its session, and counts as spent meanwhile', async () => {
    const scene = await createScene();
    const spendId = await requestFor(scene, { amount: 900_000n });
    await release(spendId);
    const beside = await fixture.request(scene.wallet, scene.session, {
      recipient: scene.service,
      amount: 100_000n,
    });
    const [transfer] = await fixture.settled([beside]);
    expect(transfer).toMatchObject({ code: null, spendSeq: 2n });
    expect(await read(spendId)).toMatchObject({ status: 'in_flight' });
  });
});

test('a payment that fails on chain returns the error of the program', async () => {
  const scene = await createScene();
  const spendId = await requestFor(scene, { amount: 600_000n });
  const { wire } = await release(spendId);
  await fixture.settled([
    await fixture.request(scene.wallet, scene.session, {
      recipient: scene.service,
      amount: 500_000n,
    }),
  ]);
  const signature = await facilitator.settle(wire, { skipPreflight: true });
  await recordSignature(fixture.db, spendId, signature);
  const spend = await settledOne(spendId);
  expect(spend).toMatchObject({ code: 'InsufficientFunds', txSignature: signature });
  expect(await balanceOf(scene.service)).toBe(500_000n);
});

describe('no bytes exist of a payment', () => {
  test.each([
    ['that the program would refuse', 'AmountExceedsMaxPerTx', { amount: 1_000_001n }],
    [
      'to somebody who is not in the list',
      'RecipientNotAllowed',
      { recipient: Keypair.generate().publicKey.toBase58() },
    ],
    [
      'whose fee nobody can pay',
      'UNSUPPORTED_BY_SERVICE',
      { feePayer: Keypair.generate().publicKey.toBase58() },
    ],
    ['whose fee payer is no address', 'UNSUPPORTED_BY_SERVICE', { feePayer: 'nobody' }],
  ])('%s', async (_case, code, request) => {
    const spendId = await requestFor(await createScene(), request);
    expect(await settledOne(spendId)).toMatchObject({ status: 'rejected', code, attempt: 0 });
    const attempts = await fixture.db.any(sql.unsafe`
      select 1 from attempt where spend_id = ${spendId}::uuid
    `);
    expect(attempts).toEqual([]);
  });

  test.each<[string, (scene: Scene) => string]>([
    ['the vault', ({ wallet }) => wallet.vault],
    ['the payee', ({ service }) => service],
    ['the session', ({ session }) => session.sessionPda],
    ['the program', () => fixture.program.programId],
  ])('whose fee %s is to pay', async (_case, feePayerOf) => {
    const scene = await createScene();
    const spendId = await requestFor(scene, { feePayer: feePayerOf(scene) });
    expect(await settledOne(spendId)).toMatchObject({
      status: 'rejected',
      code: 'UNSUPPORTED_BY_SERVICE',
      attempt: 0,
    });
  });
});
