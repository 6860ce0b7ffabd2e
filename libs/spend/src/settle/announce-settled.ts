import { createBatches } from '@agent-wallet/batches';
import type { Database } from '@agent-wallet/db';
import { type CommonQueryMethods, sql } from 'slonik';

/**
 * NOTIFY channel: payload is a JSON array of ids of spends that settled, or whose bytes wait for a
 * facilitator. An accelerator; the rows are the truth.
 */
export const SPEND_SETTLED = 'spend_settled';

/** A payload is limited to 8000 bytes and an id takes 39 of them. */
const IDS_PER_NOTIFY = 150;

/**
 * Notifies waiting api processes of the spends to read. Inside an SQL transaction Postgres delivers
 * the notification with the commit; call it last there, or after the commit.
 */
export async function announceSettled(
  db: CommonQueryMethods,
  spendIds: readonly string[],
): Promise<void> {
  for (let start = 0; start < spendIds.length; start += IDS_PER_NOTIFY) {
    const payload = JSON.stringify(spendIds.slice(start, start + IDS_PER_NOTIFY));
    await db.query(sql.unsafe`select pg_notify(${SPEND_SETTLED}, ${payload})`);
  }
}

const ONE_QUEUE = '';

/**
 * Returns a function that notifies as {@link announceSettled} does. Calls during a statement share
 * the next one. It never rejects: the api finds the rows without a notification, a little later.
 */
export function createAnnounceSettled(
  db: Database,
): (spendIds: readonly string[]) => Promise<void> {
  const announcements = createBatches<readonly string[], null>({
    run: async (calls) => {
      await announceSettled(db, calls.flat()).catch(() => undefined);
      return calls.map(() => null);
    },
    concurrency: 1,
    maxWeight: Infinity,
  });
  return async (spendIds) => {
    if (spendIds.length > 0) await announcements(ONE_QUEUE, spendIds);
  };
}
