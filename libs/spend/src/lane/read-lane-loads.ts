import type { Database } from '@agent-wallet/db';
import { sql } from 'slonik';
import { z } from 'zod';

const loadRow = z.object({ session: z.bigint(), wallet: z.bigint(), movesYield: z.boolean() });

/**
 * Base units that a read of the chain at some slot does not show yet as spent: of the session's
 * daily cap, and of the wallet's liquid balance. `movesYield`: the session has yield in flight.
 */
export type LaneLoad = z.output<typeof loadRow>;

/**
 * Sums what is in flight, and what landed at or after `sinceSlot`, of a whole wallet and of some of
 * its sessions; returns a load for each session, in their order. Yield counts towards no daily cap,
 * and a withdrawal from it takes no liquid money. A landing in that very slot may be in the chain's
 * numbers already; counted twice, it only makes the lane more careful.
 */
export async function readLaneLoads(
  db: Database,
  of: {
    readonly walletId: string;
    readonly sessionIds: readonly string[];
    readonly sinceSlot: bigint;
  },
): Promise<readonly LaneLoad[]> {
  return db.any(sql.type(loadRow)`
    with unseen as materialized (
      select session_id, kind, amount, true as is_in_flight from spend
      where wallet_id = ${of.walletId}::uuid and settled_at is null and status = 'in_flight'
      union all
      select session_id, kind, amount, false from spend
      where wallet_id = ${of.walletId}::uuid and landed_slot >= ${of.sinceSlot}
        and status in ('confirmed', 'finalized')
    ),
    of_session as (
      select session_id,
        sum(amount) filter (where kind not in ('yield_deposit', 'yield_withdraw')) as amount,
        bool_or(is_in_flight and kind in ('yield_deposit', 'yield_withdraw')) as moves_yield
      from unseen group by session_id
    ),
    of_wallet as (
      select coalesce(sum(amount) filter (where kind <> 'yield_withdraw'), 0) as amount from unseen
    )
    select coalesce(of_session.amount, 0) as session, of_wallet.amount as wallet,
      coalesce(moves_yield, false) as "movesYield"
    from unnest(${sql.array([...of.sessionIds], 'uuid')}) with ordinality
      as asked (session_id, place)
    cross join of_wallet
    left join of_session on of_session.session_id = asked.session_id
    order by place
  `);
}
