import type { Database } from '@agent-wallet/db';
import { sql } from 'slonik';
import type { WatchedAttempt } from './lease-attempts.ts';
import { withoutDisk } from './without-disk.ts';

/** When an attempt is next due; a negative delay is a look that is overdue already. */
export type NextLook = Pick<WatchedAttempt, 'spendId' | 'attemptNo'> & {
  readonly lookInMs: number;
};

/** Ends the leases on attempts that are still open and sets when each is next due. */
export async function postponeAttempts(db: Database, looks: readonly NextLook[]): Promise<void> {
  if (looks.length === 0) return;
  const given = looks.map(({ spendId, attemptNo, lookInMs }) => [spendId, attemptNo, lookInMs]);
  // The rows are locked in the order in which settlements delete them.
  await db.query(sql.unsafe`
    with held as (
      select watch.spend_id, watch.attempt, given.look_in_ms
      from ${sql.unnest(given, ['uuid', 'int4', 'float8'])} as given (spend_id, attempt, look_in_ms)
      join attempt_watch as watch
        on watch.spend_id = given.spend_id and watch.attempt = given.attempt
      order by watch.spend_id, watch.attempt
      for no key update of watch
    )
    update attempt_watch as watch
    set watch_until = '-infinity', look_at = now() + held.look_in_ms * interval '1 millisecond'
    from held, ${withoutDisk}
    where watch.spend_id = held.spend_id and watch.attempt = held.attempt
  `);
}
