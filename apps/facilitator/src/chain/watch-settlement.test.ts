import type { RpcPool } from '@agent-wallet/chain';
import { TransactionOnchainFailureError } from '@x402/svm';
import bs58 from 'bs58';
import { expect, test } from 'vitest';
import { createSettlements } from './watch-settlement.ts';

const WIRE = Uint8Array.from([1, ...Array.from({ length: 64 }, () => 7), 1, 2, 3]);
const SIGNATURE = bs58.encode(WIRE.subarray(1, 65));
type Status = { readonly err: unknown; readonly confirmationStatus: 'processed' | 'confirmed' };
type Reply = Awaited<ReturnType<RpcPool['sendToAll']>>;

/** Settlements on endpoints that reply like this, one status after the other, the last for ever. */
function settlementsOn(
  sendToAll: () => Promise<Reply>,
  statuses: readonly (Status | null | 'no reply')[],
  waitMs = 60_000,
) {
  let looks = 0;
  const signatureStatuses = () => {
    const status = statuses[Math.min(looks, statuses.length - 1)] ?? null;
    looks += 1;
    if (status === 'no reply') return Promise.reject(new Error('no reply'));
    return Promise.resolve({ slot: 9n, statuses: [status && { slot: 8n, ...status }] });
  };
  return createSettlements({ pool: { sendToAll, rpc: { signatureStatuses } }, waitMs });
}

const accepted = (): Promise<Reply> => Promise.resolve({ ok: true, result: SIGNATURE });
const CONFIRMED: Status = { err: null, confirmationStatus: 'confirmed' };

test('a settlement is known by its bytes, also when no endpoint has replied', async () => {
  const silent = settlementsOn(() => Promise.reject(new Error('no reply')), [CONFIRMED]);
  expect(await silent.send(WIRE)).toBe(SIGNATURE);
  await silent.confirm(SIGNATURE);
});

const refusing =
  (message: string): (() => Promise<Reply>) =>
  () =>
    Promise.resolve({ ok: false, code: -32_002, message, data: null });

test('an endpoint that refuses the bytes ends it, one that has them already does not', async () => {
  await expect(settlementsOn(refusing('bad'), []).send(WIRE)).rejects.toThrow('-32002: bad');
  const twice = settlementsOn(refusing('This transaction has already been processed'), []);
  expect(await twice.send(WIRE)).toBe(SIGNATURE);
});

test('neither a missing reply nor a processed transaction is confirmed', async () => {
  const settlements = settlementsOn(accepted, [
    'no reply',
    null,
    { err: null, confirmationStatus: 'processed' },
    { err: { InstructionError: [2, { Custom: 6009n }] }, confirmationStatus: 'confirmed' },
  ]);
  await settlements.send(WIRE);
  const failure = settlements.confirm(SIGNATURE);
  await expect(failure).rejects.toThrow(TransactionOnchainFailureError);
  await expect(failure).rejects.toThrow('"Custom":"6009"');
});

test('bytes that do not land are sent again, the same ones, until the wait ends', async () => {
  let sends = 0;
  const settlements = settlementsOn(
    () => {
      sends += 1;
      return accepted();
    },
    [null],
    2_600,
  );
  await settlements.send(WIRE);
  await expect(settlements.confirm(SIGNATURE)).rejects.toThrow('not confirmed in time');
  expect(sends).toBeGreaterThan(1);
});
