import { randomUUID } from 'node:crypto';
import type { Database } from '@agent-wallet/db';
import { sql } from 'slonik';
import { writeEvent } from '../event/write-event.ts';
import { deliveryColumns, deliveryRow, type WebhookDelivery } from './delivery.ts';

/** A webhook gets one test event in this time: its URL may be a stranger's. */
const SECONDS_BETWEEN_TESTS = 5;

type TestOutcome =
  | { readonly kind: 'inserted'; readonly delivery: WebhookDelivery }
  | { readonly kind: 'too_soon'; readonly retryAfterSeconds: number };

/** Adds a test event, unless there was one a moment ago. The webhook must be enabled. */
export async function insertTestEvent(
  db: Database,
  { walletId, webhookId }: { readonly walletId: string; readonly webhookId: string },
): Promise<TestOutcome> {
  const eventId = `evt_${randomUUID().replaceAll('-', '')}`;
  const data = { webhook_id: webhookId, wallet_id: walletId };
  const body = writeEvent({ type: 'webhook.test', at: new Date(), data });
  const delivery = await db.maybeOne(sql.type(deliveryRow)`
    with due as (
      update webhook_endpoint set test_at = now()
      where endpoint_id = ${webhookId}::uuid and wallet_id = ${walletId}::uuid
        and coalesce(test_at, '-infinity')
          < now() - ${SECONDS_BETWEEN_TESTS} * interval '1 second'
      returning endpoint_id
    )
    insert into webhook_delivery as delivery (endpoint_id, wallet_id, event_id, type, body)
    select due.endpoint_id, ${walletId}::uuid, ${eventId}, 'webhook.test', ${body} from due
    returning ${deliveryColumns}
  `);
  return delivery === null
    ? { kind: 'too_soon', retryAfterSeconds: SECONDS_BETWEEN_TESTS }
    : { kind: 'inserted', delivery };
}
