import { setTimeout as delay } from 'node:timers/promises';
import { isLockFault } from './faults.ts';

/** With a lock timeout of 100 ms the last try ends after 3 s. */
const PAUSES_MS = [25, 50, 100, 200, 400, 400, 400, 400];

/**
 * Runs SQL that has no effect outside the database, and repeats it when Postgres ends its wait for a
 * lock. The pauses between the runs use no connection, so that a row that is held for long does not
 * use up the pool. Throws the fault of the last run.
 */
export async function retryWhileHeld<Result>(run: () => Promise<Result>): Promise<Result> {
  for (const pauseMs of PAUSES_MS) {
    try {
      return await run();
    } catch (error) {
      if (!isLockFault(error)) throw error;
      await delay(pauseMs);
    }
  }
  return run();
}
