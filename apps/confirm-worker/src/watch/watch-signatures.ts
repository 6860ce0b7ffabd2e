import type { AttemptVerdict } from '@agent-wallet/chain';
import type { Database } from '@agent-wallet/db';
import {
  leaseAttempts,
  postponeAttempts,
  type SettledSpend,
  type Settlement,
  type WatchedAttempt,
} from '@agent-wallet/spend';
import { type JudgedAttempt, keyOf } from '../resolve/resolve-attempts.ts';
import type { Metrics } from '../metrics.ts';
import { isDueForRebroadcast } from './rebroadcast.ts';
import type { SettleVerdict } from '../resolve/resolve-verdict.ts';
import { type WriteDeps, writeSettlements } from '../resolve/write-settlements.ts';

const BATCH = 256;
const LEASE_MS = 15_000;
const CONCURRENT_CALLS = 16;

type WatchDeps = WriteDeps & {
  /** Name of this process in the leases. */
  readonly watcher: string;
  readonly judge: (attempts: readonly WatchedAttempt[]) => Promise<readonly JudgedAttempt[]>;
  readonly settleVerdict: SettleVerdict;
  readonly rebroadcast: (attempt: WatchedAttempt) => Promise<void>;
};

/**
 * One look at the attempts that are due: asks the chain, writes the verdicts, sends again what is
 * still open, then wakes whoever waits. Answers how many attempts it looked at.
 *
 * When the chain cannot be asked, the leases are given back and the error is thrown.
 */
export function createWatchSignatures(deps: WatchDeps): () => Promise<number> {
  return async () => {
    const { db, watcher } = deps;
    const attempts = await leaseAttempts(db, { watcher, leaseMs: LEASE_MS, limit: BATCH });
    if (attempts.length === 0) return 0;
    deps.metrics.watched.set(attempts.length);
    let judged: readonly JudgedAttempt[];
    try {
      judged = await deps.judge(attempts);
    } catch (error) {
      await postponeAttempts(db, attempts, 0);
      throw error;
    }
    const settlements = await collectSettlements(deps, judged);
    observeStages(deps.metrics, attempts, await writeSettlements(deps, settlements));
    const settledAttempts = new Set(settlements.map(keyOf));
    const open = attempts.filter((attempt) => !settledAttempts.has(keyOf(attempt)));
    await rebroadcastDue(deps, judged, open);
    await postponeByAge(db, open);
    return attempts.length;
  };
}

/** A verdict that needs a further call and does not get it stays open: an error is no verdict. */
async function collectSettlements(
  deps: WatchDeps,
  judged: readonly JudgedAttempt[],
): Promise<readonly Settlement[]> {
  const settlements: Settlement[] = [];
  for (let start = 0; start < judged.length; start += CONCURRENT_CALLS) {
    const outcomes = await Promise.allSettled(
      judged.slice(start, start + CONCURRENT_CALLS).map((one) => deps.settleVerdict(one)),
    );
    for (const [index, outcome] of outcomes.entries()) {
      if (outcome.status === 'rejected') {
        deps.log.warn({ err: outcome.reason }, 'a verdict could not be completed');
        continue;
      }
      const verdict = judged[start + index]?.verdict;
      if (outcome.value === null || verdict === undefined) continue;
      settlements.push({ ...outcome.value, isFinal: isProvenForGood(outcome.value, verdict) });
    }
  }
  return settlements;
}

/**
 * True when the finalized session account itself told. What a history does not show is proof
 * enough against an open spend, never against one whose caller was told that it was paid.
 */
function isProvenForGood({ kind }: Settlement, verdict: AttemptVerdict): boolean {
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

function observeStages(
  metrics: Metrics,
  attempts: readonly WatchedAttempt[],
  moved: readonly SettledSpend[],
): void {
  const bySpend = new Map(attempts.map((attempt) => [attempt.spendId, attempt]));
  for (const { spendId } of moved) {
    const attempt = bySpend.get(spendId);
    if (attempt === undefined) continue;
    const { createdAt, claimedAt, storedMsAgo } = attempt;
    if (claimedAt !== null) {
      const queuedMs = claimedAt.getTime() - createdAt.getTime();
      metrics.stageSeconds.observe({ stage: 'queued' }, queuedMs / 1_000);
    }
    metrics.stageSeconds.observe({ stage: 'landing' }, storedMsAgo / 1_000);
  }
}

async function rebroadcastDue(
  deps: WatchDeps,
  judged: readonly JudgedAttempt[],
  open: readonly WatchedAttempt[],
): Promise<void> {
  const pending = new Set(
    judged
      .filter(({ verdict, status }) => verdict.kind === 'pending' && status === null)
      .map(({ attempt }) => keyOf(attempt)),
  );
  const due = open.filter((attempt) => pending.has(keyOf(attempt)) && isDueForRebroadcast(attempt));
  for (let start = 0; start < due.length; start += CONCURRENT_CALLS) {
    await Promise.all(due.slice(start, start + CONCURRENT_CALLS).map(deps.rebroadcast));
  }
}

const AGES = [
  { youngerThanMs: 3_000, lookInMs: 150 },
  { youngerThanMs: 15_000, lookInMs: 500 },
  { youngerThanMs: Number.POSITIVE_INFINITY, lookInMs: 1_000 },
] as const;
/** A spend that is refused already is watched only for the sake of a correction. */
const REFUSED_LOOK_MS = 5_000;

async function postponeByAge(db: Database, open: readonly WatchedAttempt[]): Promise<void> {
  for (const [lookInMs, group] of Map.groupBy(open, lookInMsOf)) {
    await postponeAttempts(db, group, lookInMs);
  }
}

function lookInMsOf(attempt: WatchedAttempt): number {
  if (attempt.status !== 'in_flight' && attempt.status !== 'confirmed') return REFUSED_LOOK_MS;
  const age = AGES.find(({ youngerThanMs }) => attempt.storedMsAgo < youngerThanMs);
  return age?.lookInMs ?? REFUSED_LOOK_MS;
}
