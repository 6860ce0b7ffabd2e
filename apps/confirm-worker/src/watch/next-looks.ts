import type { NextLook, WatchedAttempt } from '@agent-wallet/spend';
import { keyOf } from '../resolve/resolve-attempts.ts';

const AGES = [
  { youngerThanMs: 3_000, lookInMs: 150 },
  { youngerThanMs: 15_000, lookInMs: 500 },
  { youngerThanMs: Number.POSITIVE_INFINITY, lookInMs: 1_000 },
] as const;
/** A refused spend is watched only for a possible correction. */
const REFUSED_LOOK_MS = 5_000;

const FIRST_BACKOFF_MS = 250;
const MOST_BACKOFF_MS = 8_000;
/** Beyond this many failing attempts the counts are dropped, and back-off starts again. */
const MOST_FAILING = 10_000;

/** The delay until the next look at an attempt that stays open. */
function lookInMsOf(attempt: WatchedAttempt): number {
  if (attempt.status !== 'in_flight' && attempt.status !== 'confirmed') return REFUSED_LOOK_MS;
  const age = AGES.find(({ youngerThanMs }) => attempt.storedMsAgo < youngerThanMs);
  return age?.lookInMs ?? REFUSED_LOOK_MS;
}

type Named = Pick<WatchedAttempt, 'spendId' | 'attemptNo'>;

/** When each attempt of a pass is due again. Those that the pass does not reach are due at once. */
export type NextLooks = {
  /** Ends the watch of an attempt whose outcome is written. */
  readonly end: (attempt: Named) => void;
  readonly putOff: (attempt: Named, lookInMs: number) => void;
  /** Postpones an attempt by its age. */
  readonly keepOpen: (attempt: WatchedAttempt) => void;
  /** Postpones an attempt, for longer with each failure in a row. */
  readonly backOff: (attempt: Named) => void;
  /** Ends the pass and returns when each open attempt is due. */
  readonly list: () => readonly NextLook[];
};

/**
 * Returns a function that starts the schedule of one pass. `leadMs` is how long a look without a
 * hint waits after it is due. The looks are due earlier by as much, because a node may notify a
 * landing before another one shows it.
 */
export function createNextLooks(): (
  attempts: readonly WatchedAttempt[],
  leadMs: number,
) => NextLooks {
  const failuresInRow = new Map<string, number>();
  return (attempts, leadMs) => {
    const looks = new Map<string, NextLook>();
    const failed = new Set<string>();
    const putOff = ({ spendId, attemptNo }: Named, lookInMs: number): void => {
      const look = { spendId, attemptNo, lookInMs: lookInMs - leadMs };
      looks.set(keyOf(look), look);
    };
    for (const attempt of attempts) putOff(attempt, 0);
    return {
      end: (attempt) => {
        looks.delete(keyOf(attempt));
      },
      putOff,
      keepOpen: (attempt) => putOff(attempt, lookInMsOf(attempt)),
      backOff: (attempt) => {
        const key = keyOf(attempt);
        const failures = failuresInRow.get(key) ?? 0;
        if (failuresInRow.size >= MOST_FAILING) failuresInRow.clear();
        if (!failed.has(key)) failuresInRow.set(key, failures + 1);
        failed.add(key);
        putOff(attempt, Math.min(FIRST_BACKOFF_MS * 2 ** failures, MOST_BACKOFF_MS));
      },
      list: () => {
        for (const attempt of attempts) {
          if (!failed.has(keyOf(attempt))) failuresInRow.delete(keyOf(attempt));
        }
        return [...looks.values()];
      },
    };
  };
}
