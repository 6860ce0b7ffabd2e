import type { Database } from '@agent-wallet/db';
import { sql } from 'slonik';
import type { WatchedAttempt } from './lease-attempts.ts';
import { lockedWatches } from './locked-watches.ts';
import { withoutDisk } from './without-disk.ts';

/**
 * Holds the re-sends of attempts whose first send is still under way: records them as sent just
 * now, so that the next re-send is due later. A refusal counts only before the first re-send.
 * Attempts whose first send was reported as failed meanwhile stay due.
 */
export async function holdResends(
  db: Database,
  attempts: readonly Pick<WatchedAttempt, 'spendId' | 'attemptNo'>[],
): Promise<void> {
  if (attempts.length === 0) return;
  await db.query(sql.unsafe`
    with held as ${lockedWatches(attempts)}
    update attempt_watch as watch set last_broadcast_at = now()
    from held, ${withoutDisk}
    where watch.spend_id = held.spend_id and watch.attempt = held.attempt
      and held.last_broadcast_at is null
  `);
}
