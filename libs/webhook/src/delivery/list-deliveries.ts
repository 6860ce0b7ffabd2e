import type { Database } from '@agent-wallet/db';
import { sql } from 'slonik';
import { deliveryColumns, deliveryRow, type WebhookDelivery } from './delivery.ts';

type DeliveryPage = {
  readonly webhookId: string;
  readonly state?: WebhookDelivery['state'] | undefined;
  /** Deliveries strictly older than this one; the newest when absent. */
  readonly beforeNo?: bigint | undefined;
  readonly limit: number;
};

/** Reads a page of a webhook's deliveries, newest first. */
export async function listDeliveries(
  db: Database,
  { webhookId, state, beforeNo, limit }: DeliveryPage,
): Promise<readonly WebhookDelivery[]> {
  const places = [sql.fragment`endpoint_id = ${webhookId}::uuid`];
  if (beforeNo !== undefined) places.push(sql.fragment`delivery_no < ${beforeNo}::bigint`);
  if (state !== undefined) places.push(sql.fragment`state = ${state}`);
  return db.any(sql.type(deliveryRow)`
    select ${deliveryColumns} from webhook_delivery delivery
    where ${sql.join(places, sql.fragment` and `)}
    order by delivery_no desc
    limit ${limit}
  `);
}
