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
 * Sums what is in flight, and what landed at or after `sinceSlot`, of one session and of its whole
 * wallet. Yield counts towards no daily cap, and a withdrawal from it takes no liquid money. A
 * landing in that very slot may be in the chain's numbers already; counted twice, it only makes the
 * lane more careful.
 */
export async function readLaneLoad(
  db: Database,
  of: { readonly sessionId: string; readonly walletId: string; readonly sinceSlot: bigint },
): Promise<LaneLoad> {
  return db.one(sql.type(loadRow)`
    select
      coalesce(sum(amount) filter (
        where session_id = ${of.sessionId}::uuid
          and kind not in ('yield_deposit', 'yield_withdraw')), 0) as session,
      coalesce(sum(amount) filter (where kind <> 'yield_withdraw'), 0) as wallet,
      coalesce(bool_or(status = 'in_flight' and session_id = ${of.sessionId}::uuid
        and kind in ('yield_deposit', 'yield_withdraw')), false) as "movesYield"
    from spend
    where wallet_id = ${of.walletId}::uuid
      and ((settled_at is null and status = 'in_flight')
        or (status in ('confirmed', 'finalized') and landed_slot >= ${of.sinceSlot}))
  `);
}
