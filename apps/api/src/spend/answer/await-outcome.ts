import type { Database } from '@agent-wallet/db';
import { endsWithin } from '@agent-wallet/process';
import { findSpends, isPending, type Spend } from '@agent-wallet/spend';
import { z } from 'zod';
import type { CancelSpend } from './cancel-spend.ts';
import type { Wait } from '../spend-headers.ts';

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
  readonly finish: () => void;
  /** As last read. */
  readonly seen: Map<string, Spend>;
};

const LOOK_INTERVAL_MS = 250;
/** For this long after a notification, others are expected to come as well … */
const FRESH_MS = 5_000;
/** … and the rows are read without one only this often. */
const FRESH_INTERVAL_MS = 1_000;

const hasSettled: IsAwaited = (spend) => !isPending(spend.status);

/**
 * Reads the spends that a notification names, and all awaited ones at an interval, which is longer
 * while notifications come. One query at a time; none while nothing is awaited. A failed query is
 * no answer: the next one follows.
 */
export function createOutcomeWaiter(deps: {
  readonly findSpends: (spendIds: readonly string[]) => Promise<readonly Spend[]>;
  readonly onFault: (error: unknown) => void;
}): OutcomeWaiter {
  const waitingById = new Map<string, Set<Waiting>>();
  const due = new Set<string>();
  let isReading = false;
  let timer: NodeJS.Timeout | null = null;
  let heardAtMs = -Infinity;
  let lookedAtMs = -Infinity;

  const readDue = async (): Promise<void> => {
    if (isReading) return;
    isReading = true;
    try {
      // All notifications of one message from the server are one query.
      await Promise.resolve();
      while (due.size > 0) {
        const spendIds = [...due].filter((spendId) => waitingById.has(spendId));
        due.clear();
        if (spendIds.length > 0) show(await deps.findSpends(spendIds));
      }
    } catch (error) {
      deps.onFault(error);
    } finally {
      isReading = false;
    }
  };

  const show = (spends: readonly Spend[]): void => {
    for (const spend of spends) {
      for (const entry of waitingById.get(spend.spendId) ?? []) {
        entry.seen.set(spend.spendId, spend);
        if (hasSettled(spend) || entry.isAwaited(spend)) entry.finish();
      }
    }
  };

  const look = async (): Promise<void> => {
    const nowMs = performance.now();
    const isFresh = nowMs - heardAtMs < FRESH_MS;
    if (isFresh && nowMs - lookedAtMs < FRESH_INTERVAL_MS) return;
    lookedAtMs = nowMs;
    for (const spendId of waitingById.keys()) due.add(spendId);
    await readDue();
  };

  const schedule = (): void => {
    if (timer !== null || waitingById.size === 0) return;
    timer = setTimeout(() => {
      timer = null;
      void look().then(schedule);
    }, LOOK_INTERVAL_MS);
  };

  const add = (entry: Waiting): void => {
    for (const spendId of entry.spendIds) {
      const others = waitingById.get(spendId) ?? new Set();
      waitingById.set(spendId, others.add(entry));
    }
    schedule();
  };

  const remove = (entry: Waiting): void => {
    for (const spendId of entry.spendIds) {
      const others = waitingById.get(spendId);
      others?.delete(entry);
      if (others?.size === 0) waitingById.delete(spendId);
    }
  };

  return {
    awaitAny: (spendIds, waitMs, isAwaited = hasSettled) =>
      new Promise((resolve) => {
        const seen = new Map<string, Spend>();
        const finish = (): void => {
          clearTimeout(deadline);
          remove(entry);
          resolve(spendIds.flatMap((spendId) => seen.get(spendId) ?? []));
        };
        const deadline = setTimeout(finish, waitMs);
        const entry: Waiting = { spendIds, isAwaited, finish, seen };
        add(entry);
      }),
    notified: (payload) => {
      heardAtMs = performance.now();
      const named = idsOf(payload).filter((spendId) => waitingById.has(spendId));
      for (const spendId of named) due.add(spendId);
      if (named.length > 0) void readDue();
    },
  };
}

const notification = z.array(z.string());

/** The ids of a notification; none where it is unreadable, because the rows are read anyway. */
function idsOf(payload: string): readonly string[] {
  try {
    return notification.parse(JSON.parse(payload));
  } catch {
    return [];
  }
}

/** How long a response waits for the cancellation or the last read after the end of its wait. */
const LAST_LOOK_MS = 5_000;

type WaitDeps = {
  readonly db: Database;
  readonly waiter: OutcomeWaiter;
  readonly cancelSpend: CancelSpend;
  /** Called for faults after acceptance, which change no answer. */
  readonly onFault: (error: unknown) => void;
};

/**
 * Waits for the outcome, or for a spend that `isAwaited` accepts. At the end it cancels a spend
 * that no lane has claimed, if the wait allows it. A fault or a delay on the way is no outcome: the
 * spend was accepted, so it is pending.
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
  const last = cancelOrRead(deps, wait, seen);
  try {
    if (await endsWithin(last, LAST_LOOK_MS)) return await last;
    deps.onFault(new Error(`no last look at spend ${spend.spendId} within ${LAST_LOOK_MS} ms`));
  } catch (error) {
    deps.onFault(error);
  }
  return seen;
}

async function cancelOrRead(
  { db, cancelSpend }: Pick<WaitDeps, 'db' | 'cancelSpend'>,
  { cancelUnclaimed }: Wait,
  seen: Spend,
): Promise<Spend> {
  const cancelled = cancelUnclaimed ? await cancelSpend(seen) : null;
  if (cancelled !== null) return cancelled;
  const [last = seen] = await findSpends(db, [seen.spendId]);
  return last;
}
