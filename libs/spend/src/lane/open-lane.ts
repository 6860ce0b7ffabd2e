import type { Database } from '@agent-wallet/db';
import { sql } from 'slonik';
import { z } from 'zod';
import {
  joinLaneQueue,
  laneQueueColumns,
  laneQueueOf,
  laneQueueRow,
  type LaneQueue,
} from './read-lane.ts';

const openedRow = z.intersection(z.object({ fence: z.bigint() }), laneQueueRow);

/**
 * Takes the lane of a session for `leaseMs` on the database's clock, and reads it with its first
 * `limit` queued spends. The fence goes up with each holder, and each claim checks it, so a holder
 * that lost its lease claims nothing. Null while nothing is queued, while another worker holds the
 * lane, and while intake is closed.
 */
export async function openLane(
  db: Database,
  lease: {
    readonly sessionId: string;
    readonly holder: string;
    readonly leaseMs: number;
    readonly limit: number;
  },
): Promise<(LaneQueue & { readonly fence: bigint }) | null> {
  // A wait for the row would make what is read with it older than the lease.
  const rows = await db.any(sql.type(openedRow)`
    with free as (
      select session_id from lane
      where session_id = ${lease.sessionId}::uuid and lease_until < now() and is_open()
        and exists (
          select 1 from spend
          where spend.session_id = lane.session_id and settled_at is null and status = 'queued')
      for no key update skip locked
    ), held as (
      update lane
      set fence = fence + 1, holder = ${lease.holder},
        lease_until = now() + ${lease.leaseMs} * interval '1 millisecond'
      from free where lane.session_id = free.session_id
      returning lane.session_id, fence
    )
    select held.fence, ${laneQueueColumns}
    from held join session on session.session_id = held.session_id ${joinLaneQueue(lease.limit)}
    order by spend.accepted_no
  `);
  const [first] = rows;
  const queue = laneQueueOf(rows);
  return first === undefined || queue === null ? null : { fence: first.fence, ...queue };
}
