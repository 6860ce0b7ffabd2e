import type { Database } from '@agent-wallet/db';
import { cancelQueued, findSpends, isPending, type Spend } from '@agent-wallet/spend';
import type { Wait } from './spend-headers.ts';

/** Waits for spends to settle. The rows are the truth; notifications only make the read earlier. */
export type OutcomeWaiter = {
  /**
   * Returns the spends as last read: as soon as one of them has settled or `isAwaited` accepts one,
   * else after `waitMs`.
   */
  readonly awaitAny: (
    spendIds: readonly string[],
    waitMs: number,
    isAwaited?: IsAwaited,
  ) => Promise<readonly Spend[]>;
  /** Payload of a notification: a JSON array of spend ids. */
  readonly notified: (payload: string) => void;
};

export type IsAwaited = (spend: Spend) => boolean;

type Waiting = {
  readonly spendIds: readonly string[];
  readonly isAwaited: IsAwaited;
  readonly finish: (spends: readonly Spend[]) => void;
  seen: readonly Spend[];
};

const LOOK_INTERVAL_MS = 250;

const hasSettled: IsAwaited = (spend) => !isPending(spend.status);

/**
 * Makes one query per interval for all awaited ids of this process, none while there are none. A
 * failed query is no answer: the next one follows.
 */
export function createOutcomeWaiter(deps: {
  readonly findSpends: (spendIds: readonly string[]) => Promise<readonly Spend[]>;
  readonly onFault: (error: unknown) => void;
}): OutcomeWaiter {
  const waiting = new Set<Waiting>();
  let timer: NodeJS.Timeout | null = null;
  let isLooking = false;
  let lookAgain = false;

  const look = async (): Promise<void> => {
    if (isLooking) {
      lookAgain = true;
      return;
    }
    isLooking = true;
    try {
      // Runs again only when a notification came during the query before.
      do {
        lookAgain = false;
        await lookOnce(waiting, deps.findSpends);
      } while (lookAgain && waiting.size > 0);
    } catch (error) {
      deps.onFault(error);
    } finally {
      isLooking = false;
    }
  };

  const schedule = (): void => {
    if (timer !== null || waiting.size === 0) return;
    timer = setTimeout(() => {
      timer = null;
      void look().then(schedule);
    }, LOOK_INTERVAL_MS);
  };

  return {
    awaitAny: (spendIds, waitMs, isAwaited = hasSettled) =>
      new Promise((resolve) => {
        const finishLater = (spends: readonly Spend[]): void => finish(spends);
        const entry: Waiting = { spendIds, isAwaited, finish: finishLater, seen: [] };
        const deadline = setTimeout(() => finish(entry.seen), waitMs);
        const finish = (spends: readonly Spend[]): void => {
          clearTimeout(deadline);
          waiting.delete(entry);
          resolve(spends);
        };
        waiting.add(entry);
        schedule();
      }),
    notified: (payload) => {
      const isAwaited = [...waiting].some(({ spendIds }) =>
        spendIds.some((spendId) => payload.includes(spendId)),
      );
      if (isAwaited) void look();
    },
  };
}

async function lookOnce(
  waiting: ReadonlySet<Waiting>,
  readSpends: (spendIds: readonly string[]) => Promise<readonly Spend[]>,
): Promise<void> {
  const entries = [...waiting];
  const spendIds = [...new Set(entries.flatMap((entry) => entry.spendIds))];
  const byId = new Map((await readSpends(spendIds)).map((spend) => [spend.spendId, spend]));
  for (const entry of entries) {
    entry.seen = entry.spendIds.flatMap((spendId) => byId.get(spendId) ?? []);
    if (entry.seen.some((spend) => hasSettled(spend) || entry.isAwaited(spend)))
      entry.finish(entry.seen);
  }
}

type WaitDeps = {
  readonly db: Database;
  readonly waiter: OutcomeWaiter;
  /** Called for faults after acceptance, which change no answer. */
  readonly onFault: (error: unknown) => void;
};

/**
 * Waits for the outcome, or for a spend that `isAwaited` accepts. At the end it cancels a spend
 * that no lane has claimed, if the wait allows it. A fault on the way is no outcome: the spend was
 * accepted, so it is pending.
 */
export async function awaitOutcome(
  deps: WaitDeps,
  wait: Wait,
  spend: Spend,
  isAwaited?: IsAwaited,
): Promise<Spend> {
  if (!isPending(spend.status) || wait.waitMs === 0) return spend;
  if (isAwaited?.(spend) === true) return spend;
  const [seen = spend] = await deps.waiter.awaitAny([spend.spendId], wait.waitMs, isAwaited);
  if (!isPending(seen.status) || isAwaited?.(seen) === true) return seen;
  try {
    const cancelled = wait.cancelUnclaimed ? await cancelQueued(deps.db, seen) : null;
    if (cancelled !== null) return cancelled;
    const [last = seen] = await findSpends(deps.db, [spend.spendId]);
    return last;
  } catch (error) {
    deps.onFault(error);
    return seen;
  }
}
