import { type FragmentSqlToken, sql } from 'slonik';
import type { WatchedAttempt } from './lease-attempts.ts';

/**
 * Selects the watches of attempts and locks them in ascending order, which is the order in which
 * settlements delete them. Two statements that change several watches therefore never deadlock.
 */
export function lockedWatches(
  attempts: readonly Pick<WatchedAttempt, 'spendId' | 'attemptNo'>[],
): FragmentSqlToken {
  const given = attempts.map(({ spendId, attemptNo }) => [spendId, attemptNo]);
  return sql.fragment`(
    select watch.spend_id, watch.attempt, watch.last_broadcast_at
    from ${sql.unnest(given, ['uuid', 'int4'])} as given (spend_id, attempt)
    join attempt_watch as watch using (spend_id, attempt)
    order by watch.spend_id, watch.attempt
    for no key update of watch
  )`;
}
