import type { Settlement, WatchedAttempt } from '@agent-wallet/spend';
import { type JudgedAttempt, keyOf } from './resolve-attempts.ts';
import { createSettleHint } from './resolve-hint.ts';
import {
  rowOf,
  search,
  type SettleDeps,
  settleError,
  settleExpired,
  settleFound,
  settlementOf,
  WITNESSES,
} from './resolve-landing.ts';

/**
 * Two endpoints that show a history without a landing are proof. Where there is only one, it must
 * show that twice, this far apart.
 */
const SECOND_LOOK_AFTER_MS = 60_000;
/** A bit that is set while no landing shows for this long can only be the one attempt's. */
const UNSEEN_LANDING_AFTER_MS = 600_000;

type VerdictDeps = SettleDeps & {
  /** Milliseconds of a clock that never goes back. */
  readonly monotonicMs: () => number;
};

/** Turns a verdict into what is written; null means that the fate is still open. */
export type SettleVerdict = (judged: JudgedAttempt) => Promise<Settlement | null>;

/**
 * Verdicts that say what happened are taken as they are. The others say that something landed and
 * must be found, or that only the history can tell. Throws RPC_UNAVAILABLE.
 */
export function createSettleVerdict(deps: VerdictDeps): SettleVerdict {
  // By attempt: when the history, or a landing that must be there, was first not shown. A new
  // process starts anew, which can only make it later.
  const firstCleanLookMs = new Map<string, number>();
  const firstUnseenMs = new Map<string, number>();
  // By attempt: the slot at which only the history could tell first. A look is clean from there
  // on; a node whose finalized slot lags behind that of its account reads would never catch up with
  // the newest one.
  const historySlots = new Map<string, bigint>();
  const settleHint = createSettleHint(deps);

  const msSinceFirst = (firsts: Map<string, number>, key: string): number => {
    const nowMs = deps.monotonicMs();
    const firstMs = firsts.get(key) ?? nowMs;
    firsts.set(key, firstMs);
    return nowMs - firstMs;
  };
  const secondCleanLook = (key: string): boolean =>
    msSinceFirst(firstCleanLookMs, key) >= SECOND_LOOK_AFTER_MS;

  const fromHistory = async (attempt: WatchedAttempt, slot: bigint): Promise<Settlement | null> => {
    const key = keyOf(attempt);
    const firstSlot = historySlots.get(key) ?? slot;
    historySlots.set(key, firstSlot);
    const { landing, corroborations } = await search(deps, attempt, firstSlot, 'finalized');
    const settled = settlementOf(deps, attempt, landing);
    if (settled !== null) {
      historySlots.delete(key);
      return settled;
    }
    if (corroborations === 0) return null;
    const isAlone = deps.pool.size === 1;
    if (isAlone ? !secondCleanLook(key) : corroborations < WITNESSES) return null;
    firstCleanLookMs.delete(key);
    historySlots.delete(key);
    return settleExpired(deps, attempt);
  };

  const fromBit = async (attempt: WatchedAttempt, slot: bigint): Promise<Settlement | null> => {
    const settled = await settleFound(deps, attempt, slot);
    const { signature, spendId } = attempt;
    const isOnlyAttempt = attempt.attempt === 1;
    const isUnseen =
      settled === null &&
      isOnlyAttempt &&
      msSinceFirst(firstUnseenMs, keyOf(attempt)) >= UNSEEN_LANDING_AFTER_MS;
    if (!isUnseen) return settled;
    firstUnseenMs.delete(keyOf(attempt));
    deps.metrics.alerts.inc({ kind: 'landing_not_shown' });
    deps.log.error({ spendId }, 'the bit is set and no endpoint shows the landing');
    // A landing that cannot be named is not written down: the money stays reserved.
    if (signature === null) return null;
    return { ...rowOf(attempt), kind: 'landed_ok', signature, slot };
  };

  return async ({ attempt, verdict }) => {
    const hinted = await settleHint(attempt);
    if (hinted !== null) return hinted;
    switch (verdict.kind) {
      case 'pending':
      case 'needs_session':
        return null;
      case 'landed_ok': {
        const signature = signatureOf(attempt);
        return { ...rowOf(attempt), kind: 'landed_ok', signature, slot: verdict.slot };
      }
      case 'landed_error': {
        const signature = signatureOf(attempt);
        const transaction = await deps.pool.rpc.transaction(signature, 'confirmed');
        if (transaction === null || transaction.err === null) return null;
        return settleError(deps, attempt, { signature, transaction, slot: verdict.slot });
      }
      case 'expired_proven':
        return settleExpired(deps, attempt);
      case 'find_landing':
        return fromBit(attempt, verdict.slot);
      case 'search_history':
        return fromHistory(attempt, verdict.slot);
    }
  };
}

/** A status was asked for, so there is one. */
function signatureOf({ signature, spendId }: WatchedAttempt): string {
  if (signature === null) throw new TypeError(`spend ${spendId} has no signature to ask for`);
  return signature;
}
