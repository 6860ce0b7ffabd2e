import type { Database } from '@agent-wallet/db';
import { sql } from 'slonik';

const KEPT_DAYS = 30;

/** Removes deliveries that are more than 30 days old, at most `limit`; returns how many. */
export async function forgetDeliveries(db: Database, limit: number): Promise<number> {
  const { rowCount } = await db.query(sql.unsafe`
    delete from webhook_delivery
    where delivery_id in (
      select delivery_id from webhook_delivery
      where created_at < now() - ${KEPT_DAYS} * interval '1 day'
      order by created_at
      limit ${limit}
      for update skip locked)
  `);
  return rowCount;
}
