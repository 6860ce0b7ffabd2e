import type { AttemptVerdict } from '@agent-wallet/chain';
import type { Settlement, WatchedAttempt } from '@agent-wallet/spend';
import { keyOf, type ResolvedAttempt } from './resolve-attempts.ts';
import { createResolveHint } from './resolve-hint.ts';
import {
  ENDPOINTS_FOR_PROOF,
  type ResolveDeps,
  resolveExpiry,
  resolveFailure,
  resolveFromHistory,
  rowOf,
  searchHistory,
  settlementOf,
} from './resolve-landing.ts';

/** A single endpoint must show a history without the landing twice, this far apart. */
const SECOND_LOOK_AFTER_MS = 60_000;
/** A set bit whose landing stays hidden this long belongs to the only attempt. */
const UNSEEN_LANDING_AFTER_MS = 600_000;

type VerdictDeps = ResolveDeps & {
  /** Milliseconds of a clock that never goes back. */
  readonly monotonicMs: () => number;
};

/** Resolves a verdict to the settlement to write; null while the outcome is open. */
export type ResolveVerdict = (resolved: ResolvedAttempt) => Promise<Settlement | null>;

/** Whether resolving a verdict takes calls to a node, of which there may be many. */
export function needsSearch({ attempt, verdict }: ResolvedAttempt): boolean {
  switch (verdict.kind) {
    case 'pending':
    case 'needs_session':
    case 'landed_ok':
    case 'expired_proven':
      return attempt.signature === null;
    case 'landed_error':
    case 'find_landing':
    case 'search_history':
      return true;
  }
}

/**
 * Creates the second step of resolving. A verdict that names the outcome becomes a settlement as it
 * is; the others require finding the landing, or a history that proves its absence. Throws
 * RPC_UNAVAILABLE.
 */
export function createResolveVerdict(deps: VerdictDeps): ResolveVerdict {
  // Times by attempt of the first history without the landing. A new process starts over, which
  // only delays the proof.
  const firstAbsentMs = new Map<string, number>();
  const firstUnseenMs = new Map<string, number>();
  // By attempt: the slot of its first `search_history` verdict. Histories count from that slot on;
  // a node whose finalized slot lags behind its account reads would never reach the newest one.
  const historySlots = new Map<string, bigint>();
  const resolveHint = createResolveHint(deps);

  const msSinceFirst = (firsts: Map<string, number>, key: string): number => {
    const nowMs = deps.monotonicMs();
    const firstMs = firsts.get(key) ?? nowMs;
    firsts.set(key, firstMs);
    return nowMs - firstMs;
  };

  const fromHistory = async (attempt: WatchedAttempt, slot: bigint): Promise<Settlement | null> => {
    const key = keyOf(attempt);
    const firstSlot = historySlots.get(key) ?? slot;
    historySlots.set(key, firstSlot);
    const { landing, corroborations } = await searchHistory(deps, attempt, firstSlot, 'finalized');
    const settlement = settlementOf(deps, attempt, landing);
    if (settlement !== null) {
      historySlots.delete(key);
      return settlement;
    }
    if (corroborations === 0) return null;
    const isProven =
      deps.pool.size === 1
        ? msSinceFirst(firstAbsentMs, key) >= SECOND_LOOK_AFTER_MS
        : corroborations >= ENDPOINTS_FOR_PROOF;
    if (!isProven) return null;
    firstAbsentMs.delete(key);
    historySlots.delete(key);
    return resolveExpiry(deps, attempt);
  };

  const fromBit = async (attempt: WatchedAttempt, slot: bigint): Promise<Settlement | null> => {
    const settlement = await resolveFromHistory(deps, attempt, slot);
    const { signature, spendId } = attempt;
    const isOnlyAttempt = attempt.attempt === 1;
    const isUnseen =
      settlement === null &&
      isOnlyAttempt &&
      msSinceFirst(firstUnseenMs, keyOf(attempt)) >= UNSEEN_LANDING_AFTER_MS;
    if (!isUnseen) return settlement;
    firstUnseenMs.delete(keyOf(attempt));
    deps.metrics.alerts.inc({ kind: 'landing_not_shown' });
    deps.log.error({ spendId }, 'the bit is set and no endpoint shows the landing');
    // A landing without a known signature is not written: the money stays reserved.
    if (signature === null) return null;
    return { ...rowOf(attempt), kind: 'landed_ok', signature, slot };
  };

  const fromVerdict = async (
    attempt: WatchedAttempt,
    verdict: AttemptVerdict,
  ): Promise<Settlement | null> => {
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
        return resolveFailure(deps, attempt, { signature, transaction, slot: verdict.slot });
      }
      case 'expired_proven':
        return resolveExpiry(deps, attempt);
      case 'find_landing':
        return fromBit(attempt, verdict.slot);
      case 'search_history':
        return fromHistory(attempt, verdict.slot);
    }
  };

  return async ({ attempt, verdict }) => {
    const settlement = (await resolveHint(attempt)) ?? (await fromVerdict(attempt, verdict));
    return settlement && { ...settlement, isFinal: isProvenFinal(settlement, verdict) };
  };
}

/**
 * Whether the finalized session account or transaction itself proves the outcome. An absence in a
 * history proves enough against an open spend, never against a confirmation that was reported.
 */
function isProvenFinal({ kind }: Settlement, verdict: AttemptVerdict): boolean {
  switch (kind) {
    case 'expired':
      return verdict.kind === 'expired_proven';
    case 'never_lands':
      return verdict.kind !== 'landed_error' || verdict.finalized;
    case 'landed_error':
      return verdict.kind === 'landed_error' && verdict.finalized;
    case 'landed_ok':
      return false;
  }
}

/** A verdict from a status implies a known signature. */
function signatureOf({ signature, spendId }: WatchedAttempt): string {
  if (signature === null) throw new TypeError(`spend ${spendId} has no known signature`);
  return signature;
}
