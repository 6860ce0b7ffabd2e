import type { Database } from '@agent-wallet/db';
import { sql } from 'slonik';
import { z } from 'zod';

const backlogRow = z.object({ open: z.number(), overdueSeconds: z.number() });

/** How many deliveries of enabled webhooks are open, and how late the oldest due one is. */
export async function measureDeliveries(db: Database): Promise<z.output<typeof backlogRow>> {
  return db.one(sql.type(backlogRow)`
    select count(*)::int as open,
      coalesce(greatest(0, extract(epoch from now() - min(delivery.try_at))), 0)::float8
        as "overdueSeconds"
    from webhook_delivery delivery
    join webhook_endpoint endpoint on endpoint.endpoint_id = delivery.endpoint_id
    where delivery.state = 'pending' and endpoint.enabled
  `);
}
