import type { Database } from '@agent-wallet/db';
import { sql } from 'slonik';
import type { WatchedAttempt } from './lease-attempts.ts';
import { withoutDisk } from './without-disk.ts';

/** Ends the lease on attempts that are still open and sets when they are next due. */
export async function postponeAttempts(
  db: Database,
  attempts: readonly Pick<WatchedAttempt, 'spendId' | 'attemptNo'>[],
  lookInMs: number,
): Promise<void> {
  if (attempts.length === 0) return;
  const told = attempts.map(({ spendId, attemptNo }) => [spendId, attemptNo] as const);
  await db.query(sql.unsafe`
    update attempt_watch as watch
    set watch_until = '-infinity', look_at = now() + ${lookInMs} * interval '1 millisecond'
    from ${sql.unnest(told, ['uuid', 'int4'])} as told (spend_id, attempt),
      ${withoutDisk}
    where watch.spend_id = told.spend_id and watch.attempt = told.attempt
  `);
}
