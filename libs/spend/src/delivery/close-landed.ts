import type { Database } from '@agent-wallet/db';
import { sql } from 'slonik';
import { z } from 'zod';

/** Per pass. Rejected spends are rarely corrected. */
const MOST_POSTPONED = 500;

/**
 * Ends deliveries whose spend needs no more tries. A facilitator's payment that has landed without
 * a usable answer is never handed out again: paid, not delivered. One whose spend was refused waits
 * longer and longer for a correction. Returns how many became `paid_not_delivered`.
 */
export async function closeLanded(db: Database, spendId?: string): Promise<number> {
  const closed = await db.any(sql.type(z.object({ spendId: z.string() }))`
    with landed as (
      select delivery.spend_id
      from delivery join spend on spend.spend_id = delivery.spend_id
      where delivery.proof = 'x402' and delivery.state in ('waiting', 'delivering')
        and delivery.lease_until < now() and spend.status in ('confirmed', 'finalized')
        and (${spendId ?? null}::uuid is null or delivery.spend_id = ${spendId ?? null}::uuid)
      order by delivery.spend_id
      for no key update of delivery
    )
    update delivery set state = 'paid_not_delivered', try_at = null
    from landed
    where delivery.spend_id = landed.spend_id
    returning delivery.spend_id as "spendId"
  `);
  return closed.length;
}

/** Postpones deliveries of refused spends, each by its age. */
export async function postponeRefused(db: Database): Promise<void> {
  await db.query(sql.unsafe`
    update delivery set try_at = now() + greatest(now() - created_at, interval '1 minute')
    where spend_id in (
      select delivery.spend_id from delivery join spend on spend.spend_id = delivery.spend_id
      where delivery.try_at <= now() and delivery.lease_until < now()
        and spend.status in ('reverted', 'rejected')
      limit ${MOST_POSTPONED}
      for update of delivery skip locked)
  `);
}
