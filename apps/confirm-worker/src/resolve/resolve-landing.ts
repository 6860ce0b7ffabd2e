/** Turns a landing into a settlement, whether a node named it or its history must be searched. */
import {
  type ChainTransaction,
  type FailedTransaction,
  failureOfTransaction,
  findFailure,
  findLandingAmong,
  isReplayRefusal,
  type Landing,
  type LandingAmong,
  refusalCodeOf,
  type RpcPool,
  type WalletProgram,
} from '@agent-wallet/chain';
import type { Logger } from '@agent-wallet/process';
import type { Settlement, WatchedAttempt } from '@agent-wallet/spend';
import type { Metrics } from '../metrics.ts';
import { spendSeqOf } from './attempt-facts.ts';

/** Histories without the landing, from this many endpoints, prove that nothing landed. */
export const ENDPOINTS_FOR_PROOF = 2;

export type ResolveDeps = {
  readonly pool: Pick<RpcPool, 'size' | 'readable' | 'rpc'>;
  readonly program: WalletProgram;
  /** Reads the bytes that the session key signed. */
  readonly readWire: (attempt: WatchedAttempt) => Promise<Uint8Array>;
  readonly log: Logger;
  readonly metrics: Metrics;
};

export function rowOf(
  attempt: WatchedAttempt,
): Pick<Settlement, 'walletId' | 'sessionId' | 'spendId' | 'attemptNo'> {
  const { walletId, sessionId, spendId, attemptNo } = attempt;
  return { walletId, sessionId, spendId, attemptNo };
}

/** The code and text of a failed transaction; null when it failed because its number was used. */
export function refusalOf(
  program: WalletProgram,
  transaction: ChainTransaction,
): { readonly code: string; readonly detail: string } | null {
  const failure = failureOfTransaction(program, transaction);
  if (failure !== null && isReplayRefusal(failure)) return null;
  return {
    code: failure === null ? 'TransactionFailed' : refusalCodeOf(failure),
    detail: failure?.detail ?? `the transaction failed: ${JSON.stringify(transaction.err)}`,
  };
}

/** Resolves an attempt whose transaction failed on chain. */
export async function resolveFailure(
  deps: ResolveDeps,
  attempt: WatchedAttempt,
  { signature, transaction, slot }: FailedTransaction,
): Promise<Settlement | null> {
  const refusal = refusalOf(deps.program, transaction);
  // The number was used before: another landing moved the money, and it must be found. A missing
  // history can never turn this failure into a success.
  if (refusal === null) return resolveFromHistory(deps, attempt, slot);
  return { ...rowOf(attempt), kind: 'landed_error', signature, slot, ...refusal };
}

/**
 * Resolves an attempt that can no longer land. A third party's copy of a facilitator payment may
 * have failed on chain under a signature that this service never learned; that failure is then the
 * outcome. Throws RPC_UNAVAILABLE.
 */
export async function resolveExpiry(
  deps: ResolveDeps,
  attempt: WatchedAttempt,
): Promise<Settlement> {
  const expired = { ...rowOf(attempt), kind: 'expired' } as const;
  // A failure of a known signature shows in its status.
  if (attempt.signature !== null) return expired;
  const wire = await deps.readWire(attempt);
  const failed = await findFailure(deps.pool.rpc, { ...attempt, wire });
  return failed === null ? expired : ((await resolveFailure(deps, attempt, failed)) ?? expired);
}

/** Resolves an attempt whose sequence number was used; null when no history shows the landing. */
export async function resolveFromHistory(
  deps: ResolveDeps,
  attempt: WatchedAttempt,
  slot: bigint,
): Promise<Settlement | null> {
  const { landing } = await searchHistory(deps, attempt, slot, 'confirmed');
  return settlementOf(deps, attempt, landing);
}

export function settlementOf(
  deps: ResolveDeps,
  attempt: WatchedAttempt,
  landing: Landing,
): Settlement | null {
  switch (landing.kind) {
    case 'ours': {
      const { signature, slot } = landing;
      return { ...rowOf(attempt), kind: 'landed_ok', signature, slot };
    }
    case 'other_spend': {
      const { spendId } = attempt;
      deps.metrics.alerts.inc({ kind: 'sequence_used_by_other_spend' });
      deps.log.error({ spendId, other: landing.spendId }, 'another spend used the sequence number');
      const detail = 'another spend used its sequence number; it can never land';
      return { ...rowOf(attempt), kind: 'never_lands', detail };
    }
    case 'nothing':
      return null;
  }
}

/** Searches the session account's history for the landing, on as many endpoints as needed. */
export function searchHistory(
  deps: ResolveDeps,
  attempt: WatchedAttempt,
  slot: bigint,
  commitment: 'confirmed' | 'finalized',
): Promise<LandingAmong> {
  const { sessionPda, sessionIndex, spendId, sinceSlot } = attempt;
  const query = {
    sessionPda,
    sessionIndex,
    spendSeq: spendSeqOf(attempt),
    spendId,
    sinceSlot,
    minContextSlot: slot,
    commitment,
  };
  const endpoints = deps.pool.readable().map(({ rpc }) => rpc);
  // At `confirmed` the landing exists: an endpoint that does not show it does not end the search.
  const enoughLooks = commitment === 'finalized' ? ENDPOINTS_FOR_PROOF : endpoints.length;
  return findLandingAmong(endpoints, deps.program, query, enoughLooks);
}
