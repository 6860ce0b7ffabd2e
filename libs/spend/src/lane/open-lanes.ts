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

const openedRow = z.intersection(
  z.object({ fence: z.bigint(), waitsFrom: z.bigint() }),
  laneQueueRow,
);

/** A lane that is held under `fence`. `waitsFrom` is the place of its oldest queued spend. */
export type OpenedLane = LaneQueue & { readonly fence: bigint; readonly waitsFrom: bigint };

/**
 * Takes free lanes of a wallet that have queued spends, for `leaseMs` on the database's clock, and
 * reads each with its first `limit` queued spends. A fence goes up with each holder, and each claim
 * checks it, so a holder that lost its lease claims nothing. The lane whose spend has waited
 * longest comes first; `after` is the `waitsFrom` of the last lane of an earlier call. Returns no
 * lane that another worker holds, and none while intake is closed.
 */
export async function openLanes(
  db: Database,
  lease: {
    readonly walletId: string;
    readonly holder: string;
    readonly leaseMs: number;
    readonly most: number;
    readonly after: bigint;
    readonly limit: number;
  },
): Promise<readonly OpenedLane[]> {
  // A wait for a row would make what is read with it older than the lease.
  const rows = await db.any(sql.type(openedRow)`
    with waiting as (
      select session_id, min(accepted_no) as waits_from from spend
      where wallet_id = ${lease.walletId}::uuid and settled_at is null and status = 'queued'
      group by session_id
    ), free as (
      select lane.session_id, waits_from
      from waiting join lane on lane.session_id = waiting.session_id
      where waits_from > ${lease.after} and lease_until < now() and (select is_open())
      order by waits_from
      limit ${lease.most}
      for no key update of lane skip locked
    ), held as (
      update lane
      set fence = fence + 1, holder = ${lease.holder},
        lease_until = now() + ${lease.leaseMs} * interval '1 millisecond'
      from free where lane.session_id = free.session_id
      returning lane.session_id, fence, waits_from
    )
    select held.fence, held.waits_from as "waitsFrom", ${laneQueueColumns}
    from held join session on session.session_id = held.session_id ${joinLaneQueue(lease.limit)}
    order by held.waits_from, spend.accepted_no
  `);
  const ofLane = Map.groupBy(rows, ({ sessionId }) => sessionId);
  return [...ofLane.values()].flatMap((ofOne) => {
    const [first] = ofOne;
    const queue = laneQueueOf(ofOne);
    if (first === undefined || queue === null) return [];
    return [{ fence: first.fence, waitsFrom: first.waitsFrom, ...queue }];
  });
}
