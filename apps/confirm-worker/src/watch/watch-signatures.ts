import {
  leaseAttempts,
  type NextLook,
  postponeAttempts,
  type SettledSpend,
  type Settlement,
  type WatchedAttempt,
} from '@agent-wallet/spend';
import { startSpan } from '@agent-wallet/tracing';
import type { Metrics } from '../metrics.ts';
import type { Landed } from '../resolve/attempt-facts.ts';
import type { ResolveAttempts, ResolvedAttempt } from '../resolve/resolve-attempts.ts';
import { needsSearch, type ResolveVerdict } from '../resolve/resolve-verdict.ts';
import { settle, type SettleDeps } from '../settle.ts';
import type { LandingHints } from './landing-hints.ts';
import { createNextLooks, type NextLooks } from './next-looks.ts';
import { isDueForRebroadcast } from './rebroadcast.ts';
import { ATTEMPTS_PER_PASS } from './watch-pace.ts';

const LEASE_MS = 15_000;
/** While subscriptions are live, an attempt without a hint is looked at this much later. */
const HINT_LEAD_MS = 1_000;
const CONCURRENT_CALLS = 16;
/** A wallet that was busy is tried again after the other wallets had their turn. */
const BUSY_LOOK_MS = 100;

type WatchDeps = SettleDeps & {
  /** Reads which of the notified signatures have landed. */
  readonly readLanded: (signatures: readonly string[]) => Promise<Landed>;
  readonly resolveAttempts: ResolveAttempts;
  readonly resolveVerdict: ResolveVerdict;
  readonly rebroadcast: (attempt: WatchedAttempt) => Promise<void>;
  readonly hints: Pick<LandingHints, 'areLive' | 'take'>;
};

/**
 * One pass over the attempts that a node has reported as landed and those that are due: resolves them,
 * writes the outcomes, and sends the bytes of the open ones again. Returns how many there were. An
 * attempt that fails is backed off by itself; however the pass ends, it gives back every lease.
 *
 * Throws when no endpoint answers.
 */
export function createWatchSignatures(deps: WatchDeps): () => Promise<number> {
  const { db, hints } = deps;
  const planLooks = createNextLooks();
  // Leases that the database did not take back.
  let owed: readonly NextLook[] = [];
  const giveBack = async (looks: readonly NextLook[]): Promise<void> => {
    owed = [...owed, ...looks];
    await postponeAttempts(db, owed);
    owed = [];
  };
  return async () => {
    await giveBack([]);
    const signatures = hints.take(ATTEMPTS_PER_PASS);
    const leadMs = hints.areLive() ? HINT_LEAD_MS : 0;
    const [attempts, landed] = await Promise.all([
      leaseAttempts(db, {
        signatures,
        overdueMs: leadMs,
        leaseMs: LEASE_MS,
        limit: ATTEMPTS_PER_PASS,
      }),
      deps.readLanded(signatures),
    ]);
    if (attempts.length === 0) return 0;
    deps.metrics.usedHints.inc(attempts.filter(({ isHinted }) => isHinted).length);
    deps.metrics.watched.set(attempts.length);
    const looks = planLooks(attempts, leadMs);
    try {
      await look(deps, { attempts, landed, looks });
    } finally {
      await giveBack(looks.list());
    }
    return attempts.length;
  };
}

type Pass = {
  readonly attempts: readonly WatchedAttempt[];
  readonly landed: Landed;
  readonly looks: NextLooks;
};

async function look(deps: WatchDeps, pass: Pass): Promise<void> {
  const { attempts, landed, looks } = pass;
  const endResolution = startSpan('resolve');
  const resolved = await deps.resolveAttempts(attempts, landed);
  // A search may take long: what is known already is written before it.
  const [searched, known] = partition(resolved, needsSearch);
  for (const part of [known, searched]) {
    const { settlements, open } = await resolveVerdicts(deps, part, looks);
    const endSettlement = startSpan('settle');
    for (const settlement of settlements) endResolution(settlement);
    const { moved, busy, failed } = await settle(deps, settlements);
    for (const spend of moved) {
      endSettlement(spend, { attributes: { 'agent_wallet.outcome': spend.transition ?? '' } });
    }
    observeStages(deps.metrics, attempts, moved);
    for (const settlement of settlements) looks.end(settlement);
    for (const settlement of busy) looks.putOff(settlement, BUSY_LOOK_MS);
    for (const settlement of failed) failLook(deps, looks, settlement);
    await rebroadcastDue(deps, open, looks);
  }
}

function partition<T>(
  items: readonly T[],
  isFirst: (item: T) => boolean,
): readonly [readonly T[], readonly T[]] {
  return [items.filter(isFirst), items.filter((item) => !isFirst(item))];
}

function failLook(
  { metrics }: WatchDeps,
  looks: NextLooks,
  attempt: Settlement | WatchedAttempt,
): void {
  metrics.failedLooks.inc();
  looks.backOff(attempt);
}

/** A failed call leaves its attempt open: an error is no verdict. */
async function resolveVerdicts(
  deps: WatchDeps,
  resolved: readonly ResolvedAttempt[],
  looks: NextLooks,
): Promise<{
  readonly settlements: readonly Settlement[];
  readonly open: readonly ResolvedAttempt[];
}> {
  const settlements: Settlement[] = [];
  const open: ResolvedAttempt[] = [];
  for (let start = 0; start < resolved.length; start += CONCURRENT_CALLS) {
    const batch = resolved.slice(start, start + CONCURRENT_CALLS);
    await Promise.all(
      batch.map(async (one) => {
        const { attempt, fault } = one;
        try {
          const settlement = await deps.resolveVerdict(one);
          if (settlement !== null) {
            settlements.push(settlement);
            return;
          }
          if (fault !== undefined) throw fault;
          looks.keepOpen(attempt);
        } catch (err) {
          const { spendId, attemptNo } = attempt;
          deps.log.warn({ spendId, attemptNo, err }, 'a verdict could not be resolved');
          failLook(deps, looks, attempt);
        }
        open.push(one);
      }),
    );
  }
  return { settlements, open };
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
  deps: WatchDeps,
  open: readonly ResolvedAttempt[],
  looks: NextLooks,
): Promise<void> {
  const due = open
    .filter(({ verdict, status }) => verdict.kind === 'pending' && status === null)
    .map(({ attempt }) => attempt)
    .filter(isDueForRebroadcast);
  for (let start = 0; start < due.length; start += CONCURRENT_CALLS) {
    await Promise.all(
      due.slice(start, start + CONCURRENT_CALLS).map(async (attempt) => {
        try {
          await deps.rebroadcast(attempt);
        } catch (err) {
          const { spendId, attemptNo } = attempt;
          deps.log.warn({ spendId, attemptNo, err }, 'the bytes could not be sent again');
          failLook(deps, looks, attempt);
        }
      }),
    );
  }
}
