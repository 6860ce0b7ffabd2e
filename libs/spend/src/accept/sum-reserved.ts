import { type CommonQueryMethods, sql } from 'slonik';
import { z } from 'zod';

const reservedRow = z.object({ wallet: z.bigint(), session: z.bigint() });

/** Base units: of the whole wallet, and of what counts against one session's daily cap. */
export type Reserved = z.output<typeof reservedRow>;

/**
 * What is spoken for: every open spend, and those that landed at or after the slot of the balance.
 * A landing in that very slot may or may not be in the balance; counted twice it costs a short
 * wait, not counted it could promise the same money twice.
 */
export async function sumReserved(
  db: CommonQueryMethods,
  of: { readonly walletId: string; readonly sessionId: string; readonly slot: bigint },
): Promise<Reserved> {
  return db.one(sql.type(reservedRow)`
    select coalesce(sum(reserved), 0) as wallet,
      coalesce(sum(reserved) filter (
        where session_id = ${of.sessionId}::uuid
          and kind in ('transfer', 'sign_payment', 'pay_service')), 0) as session
    from spend
    where wallet_id = ${of.walletId}::uuid
      and (settled_at is null
        or (status in ('confirmed', 'finalized') and landed_slot >= ${of.slot}))
  `);
}
