import { setTimeout as delay } from 'node:timers/promises';
import { isLockFault } from './faults.ts';

/** With a lock timeout of 100 ms the last try ends after 3 s. */
const PAUSES_MS = [25, 50, 100, 200, 400, 400, 400, 400];

/**
 * Runs SQL that has no effect outside the database, and that Postgres ends when it has waited for a
 * lock for too long. Then it runs again, after pauses without a connection, so that a row that is
 * held for long does not use up the pool. Throws the last fault.
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
