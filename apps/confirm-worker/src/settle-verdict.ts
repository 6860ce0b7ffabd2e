import {
  failureOfTransaction,
  findLandingAmong,
  isReplayRefusal,
  type Landing,
  type LandingAmong,
  type RpcPool,
  type WalletProgram,
} from '@agent-wallet/chain';
import type { Logger } from '@agent-wallet/process';
import type { Settlement, WatchedAttempt } from '@agent-wallet/spend';
import { type JudgedAttempt, spendSeqOf } from './judge-attempts.ts';
import type { Metrics } from './metrics.ts';

/**
 * Two endpoints that show a history without a landing are proof. Where there is only one, it must
 * show that twice, this far apart.
 */
const SECOND_LOOK_AFTER_MS = 60_000;
const WITNESSES = 2;
/** A bit that is set while no landing shows for this long can only be the one attempt's. */
const UNSEEN_LANDING_AFTER_MS = 600_000;

type SettleDeps = {
  readonly pool: Pick<RpcPool, 'size' | 'readable' | 'rpc'>;
  readonly program: WalletProgram;
  readonly log: Logger;
  readonly metrics: Metrics;
  /** Milliseconds of a clock that never goes back. */
  readonly monotonicMs: () => number;
};

/** Turns a verdict into what is written; null means that the fate is still open. */
export type SettleVerdict = (judged: JudgedAttempt) => Promise<Settlement | null>;

/**
 * Verdicts that say what happened are taken as they are. The others say that something landed and
 * must be found, or that only the history can tell. Throws RPC_UNAVAILABLE.
 */
export function createSettleVerdict(deps: SettleDeps): SettleVerdict {
  // By signature: when the history, or a landing that must be there, was first not shown. A new
  // process starts anew, which can only make it later.
  const firstCleanLookMs = new Map<string, number>();
  const firstUnseenMs = new Map<string, number>();
  // By signature: the slot at which only the history could tell first. A look is clean from there
  // on; a node whose finalized slot lags behind that of its account reads would never catch up with
  // the newest one.
  const historySlots = new Map<string, bigint>();

  const msSinceFirst = (firsts: Map<string, number>, signature: string): number => {
    const nowMs = deps.monotonicMs();
    const firstMs = firsts.get(signature) ?? nowMs;
    firsts.set(signature, firstMs);
    return nowMs - firstMs;
  };
  const secondCleanLook = (signature: string): boolean =>
    msSinceFirst(firstCleanLookMs, signature) >= SECOND_LOOK_AFTER_MS;

  const fromHistory = async (attempt: WatchedAttempt, slot: bigint): Promise<Settlement | null> => {
    const { signature } = attempt;
    const firstSlot = historySlots.get(signature) ?? slot;
    historySlots.set(signature, firstSlot);
    const { landing, cleanLooks } = await search(deps, attempt, firstSlot, 'finalized');
    const settled = settlementOf(deps, attempt, landing);
    if (settled !== null) {
      historySlots.delete(signature);
      return settled;
    }
    if (cleanLooks === 0) return null;
    const isAlone = deps.pool.size === 1;
    if (isAlone ? !secondCleanLook(signature) : cleanLooks < WITNESSES) return null;
    firstCleanLookMs.delete(signature);
    historySlots.delete(signature);
    return { ...rowOf(attempt), kind: 'expired' };
  };

  const fromBit = async (attempt: WatchedAttempt, slot: bigint): Promise<Settlement | null> => {
    const settled = await settleFound(deps, attempt, slot);
    const { signature, spendId } = attempt;
    const isOnlyAttempt = attempt.attempt === 1;
    const isUnseen =
      settled === null &&
      isOnlyAttempt &&
      msSinceFirst(firstUnseenMs, signature) >= UNSEEN_LANDING_AFTER_MS;
    if (!isUnseen) return settled;
    firstUnseenMs.delete(signature);
    deps.metrics.alerts.inc({ kind: 'landing_not_shown' });
    deps.log.error({ spendId }, 'the bit is set and no endpoint shows the landing');
    return { ...rowOf(attempt), kind: 'landed_ok', signature, slot };
  };

  return async ({ attempt, verdict }) => {
    switch (verdict.kind) {
      case 'pending':
      case 'needs_session':
        return null;
      case 'landed_ok': {
        const { signature } = attempt;
        return { ...rowOf(attempt), kind: 'landed_ok', signature, slot: verdict.slot };
      }
      case 'landed_error':
        return settleError(deps, attempt, verdict.slot);
      case 'expired_proven':
        return { ...rowOf(attempt), kind: 'expired' };
      case 'find_landing':
        return fromBit(attempt, verdict.slot);
      case 'search_history':
        return fromHistory(attempt, verdict.slot);
    }
  };
}

function rowOf(
  attempt: WatchedAttempt,
): Pick<Settlement, 'walletId' | 'sessionId' | 'spendId' | 'attemptNo'> {
  const { walletId, sessionId, spendId, attemptNo } = attempt;
  return { walletId, sessionId, spendId, attemptNo };
}

async function settleError(
  deps: SettleDeps,
  attempt: WatchedAttempt,
  slot: bigint,
): Promise<Settlement | null> {
  const transaction = await deps.pool.rpc.transaction(attempt.signature, 'confirmed');
  if (transaction === null || transaction.err === null) return null;
  const failure = failureOfTransaction(deps.program, transaction);
  // The sequence number was used before: these bytes moved nothing, another landing did. That one
  // must be shown: silence can never make a success of a failure.
  if (failure !== null && isReplayRefusal(failure)) return settleFound(deps, attempt, slot);
  return {
    ...rowOf(attempt),
    kind: 'landed_error',
    signature: attempt.signature,
    slot,
    code: failure?.name ?? 'TransactionFailed',
    detail: failure?.detail ?? `the transaction failed: ${JSON.stringify(transaction.err)}`,
  };
}

async function settleFound(
  deps: SettleDeps,
  attempt: WatchedAttempt,
  slot: bigint,
): Promise<Settlement | null> {
  const { landing } = await search(deps, attempt, slot, 'confirmed');
  return settlementOf(deps, attempt, landing);
}

function settlementOf(
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

function search(
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
