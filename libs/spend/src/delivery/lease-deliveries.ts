import type { Database } from '@agent-wallet/db';
import { sql } from 'slonik';
import { z } from 'zod';
import { deliveryColumns, deliveryRow } from './delivery.ts';

const leasedRow = deliveryRow.extend({ txSignature: z.string().nullable() });

/** A delivery that the caller alone may try now; `txSignature` is that of its landed payment. */
export type LeasedDelivery = z.output<typeof leasedRow>;

/**
 * Leases deliveries that are due, oldest first, or the one of `spendId` if it is. Due: its time has
 * come, no process holds it, and its spend can show a proof. Ours is a confirmed payment; a
 * facilitator's is the signed transaction, as long as its fate is open.
 */
export async function leaseDeliveries(
  db: Database,
  lease: { readonly leaseMs: number; readonly limit: number; readonly spendId?: string },
): Promise<readonly LeasedDelivery[]> {
  return db.any(sql.type(leasedRow)`
    with due as (
      select delivery.spend_id, spend.tx_signature
      from delivery join spend on spend.spend_id = delivery.spend_id
      where delivery.try_at <= now() and delivery.lease_until < now()
        and (${lease.spendId ?? null}::uuid is null
          or delivery.spend_id = ${lease.spendId ?? null}::uuid)
        and case delivery.proof
          when 'x402' then spend.status = 'in_flight'
          else spend.status in ('confirmed', 'finalized') end
      order by delivery.try_at
      limit ${lease.limit}
      for update of delivery skip locked
    )
    update delivery
    set state = 'delivering', tries = tries + 1, first_try_at = coalesce(first_try_at, now()),
      lease_until = now() + ${lease.leaseMs} * interval '1 millisecond'
    from due
    where delivery.spend_id = due.spend_id
    returning ${deliveryColumns}, due.tx_signature as "txSignature"
  `);
}
