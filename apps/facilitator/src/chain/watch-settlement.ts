import { setTimeout as delay } from 'node:timers/promises';
import type { Rpc, RpcPool } from '@agent-wallet/chain';
import { TransactionOnchainFailureError } from '@x402/svm';
import bs58 from 'bs58';

const FIRST_LOOK_MS = 200;
const LOOK_EVERY_MS = 400;
const RESEND_EVERY_MS = 2_000;
/** The life of a blockhash is shorter. */
const KEPT_MS = 180_000;
const SIGNATURE_BYTES = 64;

export type Settlements = {
  /**
   * Sends the signed transaction to all endpoints and returns its signature. Throws when an
   * endpoint refuses it; without any reply it may have been forwarded, so that only the chain knows.
   */
  readonly send: (wire: Uint8Array) => Promise<string>;
  /**
   * Resolves when the transaction is confirmed, and sends the same bytes again until then. Throws
   * TransactionOnchainFailureError when it failed, and another error when nothing is known in time.
   */
  readonly confirm: (signature: string) => Promise<void>;
};

/** Sends transactions and watches them. Bytes are kept for as long as they can land. */
export function createSettlements({
  pool,
  waitMs,
}: {
  readonly pool: Pick<RpcPool, 'sendToAll'> & { readonly rpc: Pick<Rpc, 'signatureStatuses'> };
  readonly waitMs: number;
}): Settlements {
  const sent = new Map<string, { readonly wire: Uint8Array; readonly untilMs: number }>();

  function forgetExpired(): void {
    for (const [signature, { untilMs }] of sent) {
      if (untilMs > performance.now()) return;
      sent.delete(signature);
    }
  }

  async function send(wire: Uint8Array): Promise<string> {
    forgetExpired();
    const signature = bs58.encode(wire.subarray(1, 1 + SIGNATURE_BYTES));
    sent.set(signature, { wire, untilMs: performance.now() + KEPT_MS });
    const reply = await pool.sendToAll(wire, { skipPreflight: true }).catch(() => null);
    if (reply !== null && !reply.ok && !reply.message.includes('already been processed')) {
      sent.delete(signature);
      throw new Error(`${reply.code}: ${reply.message.slice(0, 300)}`);
    }
    return signature;
  }

  async function isConfirmed(signature: string): Promise<boolean> {
    // An RPC error is no verdict: the next look may have one.
    const reply = await pool.rpc
      .signatureStatuses([signature], { searchHistory: false })
      .catch(() => null);
    const status = reply?.statuses[0] ?? null;
    if (status === null || status.confirmationStatus === 'processed') return false;
    if (status.err === null) return true;
    throw new TransactionOnchainFailureError(`Transaction failed onchain: ${textOf(status.err)}`);
  }

  async function confirm(signature: string): Promise<void> {
    const endMs = performance.now() + waitMs;
    let resendMs = performance.now() + RESEND_EVERY_MS;
    await delay(FIRST_LOOK_MS);
    while (!(await isConfirmed(signature))) {
      if (performance.now() >= endMs) throw new Error('not confirmed in time');
      const wire = sent.get(signature)?.wire;
      if (wire !== undefined && performance.now() >= resendMs) {
        resendMs = performance.now() + RESEND_EVERY_MS;
        await pool.sendToAll(wire, { skipPreflight: true }).catch(() => null);
      }
      await delay(LOOK_EVERY_MS);
    }
    sent.delete(signature);
  }

  return { send, confirm };
}

const textOf = (err: unknown): string =>
  JSON.stringify(err, (_key, value: unknown) =>
    typeof value === 'bigint' ? value.toString() : value,
  );
