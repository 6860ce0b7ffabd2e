import { isRolledBack } from './faults.ts';

const RETRIES = 3;

/**
 * Runs SQL that has no effect outside the database. What Postgres rolled back because of others (a
 * deadlock, a serialization failure) left nothing behind, so it runs again. Throws the last fault.
 */
export async function retryRolledBack<Result>(run: () => Promise<Result>): Promise<Result> {
  for (let retries = RETRIES; ; retries -= 1) {
    try {
      return await run();
    } catch (error) {
      if (retries === 0 || !isRolledBack(error)) throw error;
    }
  }
}
