import { createBatches } from '@agent-wallet/batches';
import type { Database } from '@agent-wallet/db';
import { sql } from 'slonik';

/** NOTIFY channel that wakes the confirm-worker after a claim. */
export const ATTEMPT_STORED = 'attempt_stored';

/** Payload of ATTEMPT_STORED when an attempt is due at once. */
export const LOOK_NOW = 'look now';

const ONE_QUEUE = '';

/**
 * Returns a function that notifies the confirm-worker of new attempts. Call it after the commit: a
 * commit that notifies holds up every other one that does. Calls during a statement share the next
 * one. It never rejects: the confirm-worker finds the attempts without a notification, a little
 * later.
 */
export function createAnnounceAttempts(db: Database): () => Promise<void> {
  const announcements = createBatches<null, null>({
    run: async (calls) => {
      await db.query(sql.unsafe`select pg_notify(${ATTEMPT_STORED}, '')`).catch(() => undefined);
      return calls;
    },
    concurrency: 1,
    maxWeight: Infinity,
  });
  return async () => {
    await announcements(ONE_QUEUE, null);
  };
}
