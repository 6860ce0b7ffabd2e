import {
  leaseAttempts,
  postponeAttempts,
  type SettledSpend,
  type Settlement,
  type WatchedAttempt,
} from '@agent-wallet/spend';
import type { Metrics } from '../metrics.ts';
import type { Landed } from '../resolve/attempt-facts.ts';
import { keyOf, type ResolveAttempts, type ResolvedAttempt } from '../resolve/resolve-attempts.ts';
import type { ResolveVerdict } from '../resolve/resolve-verdict.ts';
import { settle, type SettleDeps } from '../settle.ts';
import type { LandingHints } from './landing-hints.ts';
import { isDueForRebroadcast } from './rebroadcast.ts';
import { ATTEMPTS_PER_PASS } from './watch-pace.ts';

const LEASE_MS = 15_000;
/** While nodes tell landings, an attempt without a hint is looked at this much later. */
const HINT_LEAD_MS = 1_000;
const CONCURRENT_CALLS = 16;
/** A wallet that was busy is tried again after the other wallets had their turn. */
const BUSY_LOOK_MS = 100;

type WatchDeps = SettleDeps & {
  /** Reads which of the signatures that were told have landed. */
  readonly readLanded: (signatures: readonly string[]) => Promise<Landed>;
  readonly resolveAttempts: ResolveAttempts;
  readonly resolveVerdict: ResolveVerdict;
  readonly rebroadcast: (attempt: WatchedAttempt) => Promise<void>;
  readonly hints: Pick<LandingHints, 'areLive' | 'take'>;
};

/**
 * One pass over the attempts that a node has reported as landed and those that are due: resolves them,
 * writes the outcomes, and sends the bytes of the open ones again. Returns how many there were.
 *
 * Throws when no endpoint answers; the leases are then given back.
 */
export function createWatchSignatures(deps: WatchDeps): () => Promise<number> {
  return async () => {
    const { db, hints } = deps;
    const signatures = hints.take(ATTEMPTS_PER_PASS);
    const [attempts, landed] = await Promise.all([
      leaseAttempts(db, {
        signatures,
        overdueMs: hints.areLive() ? HINT_LEAD_MS : 0,
        leaseMs: LEASE_MS,
        limit: ATTEMPTS_PER_PASS,
      }),
      deps.readLanded(signatures),
    ]);
    if (attempts.length === 0) return 0;
    deps.metrics.usedHints.inc(attempts.filter(({ isHinted }) => isHinted).length);
    deps.metrics.watched.set(attempts.length);
    let resolved: readonly ResolvedAttempt[];
    try {
      resolved = await deps.resolveAttempts(attempts, landed);
    } catch (error) {
      await postponeAttempts(db, attempts, 0);
      throw error;
    }
    const settlements = await resolveVerdicts(deps, resolved);
    const { moved, busy } = await settle(deps, settlements);
    observeStages(deps.metrics, attempts, moved);
    await postponeAttempts(db, busy, BUSY_LOOK_MS - HINT_LEAD_MS);
    const settledAttempts = new Set(settlements.map(keyOf));
    const open = resolved.filter(({ attempt }) => !settledAttempts.has(keyOf(attempt)));
    await rebroadcastDue(deps, open);
    await postponeByAge(
      deps,
      open.map(({ attempt }) => attempt),
    );
    return attempts.length;
  };
}

/** A failed call leaves its attempt open: an error is no verdict. */
async function resolveVerdicts(
  { resolveVerdict, log }: WatchDeps,
  resolved: readonly ResolvedAttempt[],
): Promise<readonly Settlement[]> {
  const settlements: Settlement[] = [];
  for (let start = 0; start < resolved.length; start += CONCURRENT_CALLS) {
    const outcomes = await Promise.allSettled(
      resolved.slice(start, start + CONCURRENT_CALLS).map(resolveVerdict),
    );
    for (const outcome of outcomes) {
      if (outcome.status === 'fulfilled') {
        if (outcome.value !== null) settlements.push(outcome.value);
      } else log.warn({ err: outcome.reason }, 'a verdict could not be resolved');
    }
  }
  return settlements;
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
    const { queuedMs, storedMsAgo } = attempt;
    if (queuedMs !== null) metrics.stageSeconds.observe({ stage: 'queued' }, queuedMs / 1_000);
    metrics.stageSeconds.observe({ stage: 'landing' }, storedMsAgo / 1_000);
  }
}

async function rebroadcastDue(
  { rebroadcast }: WatchDeps,
  open: readonly ResolvedAttempt[],
): Promise<void> {
  const due = open
    .filter(({ verdict, status }) => verdict.kind === 'pending' && status === null)
    .map(({ attempt }) => attempt)
    .filter(isDueForRebroadcast);
  for (let start = 0; start < due.length; start += CONCURRENT_CALLS) {
    await Promise.all(due.slice(start, start + CONCURRENT_CALLS).map(rebroadcast));
  }
}

const AGES = [
  { youngerThanMs: 3_000, lookInMs: 150 },
  { youngerThanMs: 15_000, lookInMs: 500 },
  { youngerThanMs: Number.POSITIVE_INFINITY, lookInMs: 1_000 },
] as const;
/** A refused spend is watched only for a possible correction. */
const REFUSED_LOOK_MS = 5_000;

async function postponeByAge(
  { db, hints }: WatchDeps,
  open: readonly WatchedAttempt[],
): Promise<void> {
  // A node may tell a landing before the one that is asked shows it: the next look is not put off.
  const leadMs = hints.areLive() ? HINT_LEAD_MS : 0;
  for (const [lookInMs, group] of Map.groupBy(open, lookInMsOf)) {
    await postponeAttempts(db, group, lookInMs - leadMs);
  }
}

function lookInMsOf(attempt: WatchedAttempt): number {
  if (attempt.status !== 'in_flight' && attempt.status !== 'confirmed') return REFUSED_LOOK_MS;
  const age = AGES.find(({ youngerThanMs }) => attempt.storedMsAgo < youngerThanMs);
  return age?.lookInMs ?? REFUSED_LOOK_MS;
}
