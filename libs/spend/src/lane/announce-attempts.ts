import type { Database } from '@agent-wallet/db';
import { sql } from 'slonik';

/** NOTIFY channel that wakes the confirm-worker after a claim. */
export const ATTEMPT_STORED = 'attempt_stored';

/**
 * Returns a function that notifies the confirm-worker of new attempts. Call it after the commit: a
 * commit that notifies holds up every other one that does. Calls during a statement share the next
 * one. It never rejects: the confirm-worker finds the attempts without a notification, a little
 * later.
 */
export function createAnnounceAttempts(db: Database): () => Promise<void> {
  let underWay: Promise<void> | null = null;
  let next: Promise<void> | null = null;

  async function notify(): Promise<void> {
    await db.query(sql.unsafe`select pg_notify(${ATTEMPT_STORED}, '')`).catch(() => undefined);
    underWay = null;
  }

  return () => {
    if (underWay === null) {
      underWay = notify();
      return underWay;
    }
    next ??= underWay.then(() => {
      next = null;
      underWay = notify();
      return underWay;
    });
    return next;
  };
}
