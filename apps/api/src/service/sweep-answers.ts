import type { Database } from '@agent-wallet/db';
import { forgetAnswers } from '@agent-wallet/spend';

/** Small statements: each answer may be 5 MiB. */
const MOST_AT_ONCE = 50;
const MORE_AFTER_MS = 1_000;
const EVERY_MS = 600_000;

/** One pass of the retention of services' answers. Returns the milliseconds until the next one. */
export function createSweepAnswers(deps: {
  readonly db: Database;
  readonly keptDays: number;
}): () => Promise<number> {
  const { db, keptDays } = deps;
  return async () => {
    const forgotten = await forgetAnswers(db, { keptDays, limit: MOST_AT_ONCE });
    return forgotten < MOST_AT_ONCE ? EVERY_MS : MORE_AFTER_MS;
  };
}
