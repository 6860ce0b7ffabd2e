import type { Database } from '@agent-wallet/db';
import {
  closeLanded,
  countOpenDeliveries,
  leaseDeliveries,
  type LeasedDelivery,
  recordSignature,
  postponeRefused,
  readReleased,
  recordTry,
  releaseAttempt,
} from '@agent-wallet/spend';
import type { Metrics } from '../metrics.ts';
import type { Egress, EgressAnswer, PlainHeaders } from '@agent-wallet/egress';
import { paymentSignatureHeader, signatureInPaymentResponse } from '../x402/payment-header.ts';
import { judgeTry } from './judge-try.ts';
import { UPSTREAM_BYTES, UPSTREAM_TIMEOUT_MS } from './probe-service.ts';

export type Deliverer = {
  /** Tries the delivery of this spend if it is due, or waits for the try under way here. */
  readonly deliver: (spendId: string) => Promise<void>;
  /** Takes over due deliveries without a holder. Returns the milliseconds until the next pass. */
  readonly sweep: () => Promise<number>;
  /** Waits for the tries under way. */
  readonly drain: () => Promise<void>;
};

type Deps = {
  readonly db: Database;
  readonly egress: Egress;
  readonly metrics: Pick<Metrics, 'delivered' | 'openDeliveries'>;
  readonly onFault: (error: unknown) => void;
};

/** Longer than a try can take: a holder that lost its lease has ended. */
const LEASE_MS = UPSTREAM_TIMEOUT_MS + 15_000;
const SWEEP_EVERY_MS = 1_000;
const MOST_AT_ONCE = 32;
const RECORD_TRIES = 3;

/** Carries proofs of payment to services. It never pays and makes no decision about money. */
export function createDeliverer(deps: Deps): Deliverer {
  const { db } = deps;
  const running = new Map<string, Promise<void>>();

  const run = (leased: LeasedDelivery): Promise<void> => {
    const tried = tryOnce(deps, leased)
      .catch(deps.onFault)
      .finally(() => running.delete(leased.spendId));
    running.set(leased.spendId, tried);
    return tried;
  };

  return {
    deliver: async (spendId) => {
      const underWay = running.get(spendId);
      if (underWay !== undefined) return underWay;
      const [leased] = await leaseDeliveries(db, { leaseMs: LEASE_MS, limit: 1, spendId });
      if (leased !== undefined) await run(leased);
    },
    sweep: async () => {
      for (let closed = await closeLanded(db); closed > 0; closed -= 1) {
        deps.metrics.delivered('paid_not_delivered');
      }
      await postponeRefused(db);
      deps.metrics.openDeliveries(await countOpenDeliveries(db));
      const limit = MOST_AT_ONCE - running.size;
      if (limit <= 0) return SWEEP_EVERY_MS;
      for (const leased of await leaseDeliveries(db, { leaseMs: LEASE_MS, limit }))
        void run(leased);
      return SWEEP_EVERY_MS;
    },
    drain: async () => void (await Promise.all(running.values())),
  };
}

async function tryOnce(deps: Deps, leased: LeasedDelivery): Promise<void> {
  const { db, egress, metrics } = deps;
  const { spendId, method, url, headers, body } = leased;
  const proof = await proofFor(db, leased);
  if (proof === null) {
    // It has landed or expired just now, and the next sweep reads the outcome.
    const nothing = { upstream: null, refusedWhy: null, tryAgainInMs: SWEEP_EVERY_MS };
    await recordTry(db, leased, { ...nothing, state: 'waiting', outcome: 'not sent' });
    return;
  }
  const answer = await egress({
    method,
    url,
    headers: { ...headers, ...proof },
    body,
    timeoutMs: UPSTREAM_TIMEOUT_MS,
    maxBytes: UPSTREAM_BYTES,
  });
  const signature = hintIn(leased, answer);
  // First, so that the confirm-worker reads the chain while the answer is being written.
  if (signature !== null) await recordSignature(db, spendId, signature).catch(deps.onFault);
  const tried = judgeTry(leased, answer);
  const recorded = await recordSafely(deps, leased, tried);
  if (recorded) metrics.delivered(tried.refusedWhy === null ? tried.state : 'refused');
}

/** The header that shows the payment; null when there is nothing to show any more. */
async function proofFor(db: Database, leased: LeasedDelivery): Promise<PlainHeaders | null> {
  if (leased.proof === 'x-payment-proof') {
    return leased.txSignature === null ? null : { 'x-payment-proof': leased.txSignature };
  }
  // The release is committed before the bytes leave; afterwards the same bytes may go again.
  const released =
    (await releaseAttempt(db, leased.spendId)) ?? (await readReleased(db, leased.spendId));
  if (released === null) return null;
  const { requirement, resource } = leased;
  return { 'payment-signature': paymentSignatureHeader(requirement, resource, released.wire) };
}

function hintIn({ proof }: LeasedDelivery, answer: EgressAnswer): string | null {
  if (proof !== 'x402' || answer.kind !== 'answered') return null;
  return signatureInPaymentResponse(answer.headers);
}

/**
 * A service may honor a proof only once, so its answer is worth more than one attempt to store it.
 */
async function recordSafely(
  deps: Deps,
  leased: LeasedDelivery,
  tried: Parameters<typeof recordTry>[2],
): Promise<boolean> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await recordTry(deps.db, leased, tried);
    } catch (error) {
      deps.onFault(error);
      if (attempt === RECORD_TRIES) throw error;
    }
  }
}
