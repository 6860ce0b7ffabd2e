import { createBatches } from '@agent-wallet/batches';
import type { Database } from '@agent-wallet/db';
import { sql } from 'slonik';
import { ATTEMPT_STORED, LOOK_NOW } from '../lane/announce-attempts.ts';
import type { WatchedAttempt } from './lease-attempts.ts';
import { lockedWatches } from './locked-watches.ts';
import { withoutDisk } from './without-disk.ts';

type Attempt = Pick<WatchedAttempt, 'spendId' | 'attemptNo'>;

const ONE_QUEUE = '';
const MOST_TOGETHER = 256;

/**
 * Returns a function that makes attempts due at once and wakes the confirm-worker, which sends the
 * bytes again if the node does not know them. It is for attempts whose first send has failed and
 * can no longer be refused. Calls during a statement share the next one.
 */
export function createResendNow(db: Database): (attempt: Attempt) => Promise<void> {
  const resends = createBatches<Attempt, null>({
    run: async (attempts) => {
      await db.query(sql.unsafe`
        with failed as ${lockedWatches(attempts)}, due as (
          update attempt_watch as watch set look_at = 'epoch', last_broadcast_at = 'epoch'
          from failed, ${withoutDisk}
          where watch.spend_id = failed.spend_id and watch.attempt = failed.attempt
          returning 1
        )
        select pg_notify(${ATTEMPT_STORED}, ${LOOK_NOW}) where exists (select from due)
      `);
      return attempts.map(() => null);
    },
    concurrency: 1,
    maxWeight: MOST_TOGETHER,
  });
  return async (attempt) => {
    await resends(ONE_QUEUE, attempt);
  };
}
