import type { Database } from '@agent-wallet/db';
import { sql } from 'slonik';
import type { WatchedAttempt } from './lease-attempts.ts';
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
  const given = attempts.map(({ spendId, attemptNo }) => [spendId, attemptNo]);
  await db.query(sql.unsafe`
    with held as (
      select watch.spend_id, watch.attempt
      from ${sql.unnest(given, ['uuid', 'int4'])} as given (spend_id, attempt)
      join attempt_watch as watch
        on watch.spend_id = given.spend_id and watch.attempt = given.attempt
      where watch.last_broadcast_at is null
      order by watch.spend_id, watch.attempt
      for no key update of watch
    )
    update attempt_watch as watch set last_broadcast_at = now()
    from held, ${withoutDisk}
    where watch.spend_id = held.spend_id and watch.attempt = held.attempt
  `);
}
