/** What is written of a landing that a node shows, or that must be looked for. */
import {
  type ChainTransaction,
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
import { spendSeqOf } from './resolve-attempts.ts';
import type { Metrics } from '../metrics.ts';

/** So many endpoints that show a history without a landing are proof. */
export const WITNESSES = 2;

export type SettleDeps = {
  readonly pool: Pick<RpcPool, 'size' | 'readable' | 'rpc'>;
  readonly program: WalletProgram;
  readonly log: Logger;
  readonly metrics: Metrics;
};

export function rowOf(
  attempt: WatchedAttempt,
): Pick<Settlement, 'walletId' | 'sessionId' | 'spendId' | 'attemptNo'> {
  const { walletId, sessionId, spendId, attemptNo } = attempt;
  return { walletId, sessionId, spendId, attemptNo };
}

type Failed = {
  readonly signature: string;
  readonly transaction: ChainTransaction;
  readonly slot: bigint;
};

/** Of a transaction of this attempt that the chain shows as failed: why, in its own words. */
export async function settleError(
  deps: SettleDeps,
  attempt: WatchedAttempt,
  { signature, transaction, slot }: Failed,
): Promise<Settlement | null> {
  const failure = failureOfTransaction(deps.program, transaction);
  // The sequence number was used before: these bytes moved nothing, another landing did. That one
  // must be shown: silence can never make a success of a failure.
  if (failure !== null && isReplayRefusal(failure)) return settleFound(deps, attempt, slot);
  return {
    ...rowOf(attempt),
    kind: 'landed_error',
    signature,
    slot,
    code: failure === null ? 'TransactionFailed' : refusalCodeOf(failure),
    detail: failure?.detail ?? `the transaction failed: ${JSON.stringify(transaction.err)}`,
  };
}

/**
 * Nothing can land any more of these bytes. What somebody else sent of them may have failed on chain
 * without anybody naming it; then that is the outcome, in the program's words. Throws
 * RPC_UNAVAILABLE.
 */
export async function settleExpired(
  deps: SettleDeps,
  attempt: WatchedAttempt,
): Promise<Settlement> {
  const expired = { ...rowOf(attempt), kind: 'expired' } as const;
  // Our own signatures are known: their failures show in the statuses.
  if (attempt.signature !== null) return expired;
  const failed = await findFailure(deps.pool.rpc, attempt);
  return failed === null ? expired : ((await settleError(deps, attempt, failed)) ?? expired);
}

/** Something landed with this sequence number: what the history shows of it. */
export async function settleFound(
  deps: SettleDeps,
  attempt: WatchedAttempt,
  slot: bigint,
): Promise<Settlement | null> {
  const { landing } = await search(deps, attempt, slot, 'confirmed');
  return settlementOf(deps, attempt, landing);
}

export function settlementOf(
  deps: SettleDeps,
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

/** Looks for the landing in the history of the session account. */
export function search(
  deps: SettleDeps,
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
  // Somewhere it landed: an endpoint that does not show it is no reason to stop looking.
  const enoughLooks = commitment === 'finalized' ? WITNESSES : endpoints.length;
  return findLandingAmong(endpoints, deps.program, query, enoughLooks);
}
