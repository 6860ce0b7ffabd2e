import type { SqlTransaction } from '@agent-wallet/db';
import { sql } from 'slonik';
import type { WebhookDelivery } from './delivery.ts';

/** An event as it is sent: `body` word for word. */
export type NewDelivery = Pick<WebhookDelivery, 'eventId' | 'type'> & {
  readonly sessionId: string | null;
  readonly body: string;
};

/** Inserts events for a webhook. One that it has already, by its id, is left out. */
export async function insertDeliveries(
  tx: SqlTransaction,
  { webhookId, walletId }: { readonly webhookId: string; readonly walletId: string },
  events: readonly NewDelivery[],
): Promise<void> {
  if (events.length === 0) return;
  const rows = events.map(({ eventId, type, sessionId, body }) => [eventId, type, sessionId, body]);
  await tx.query(sql.unsafe`
    insert into webhook_delivery (endpoint_id, wallet_id, event_id, type, session_id, body)
    select ${webhookId}::uuid, ${walletId}::uuid, event.*
    from ${sql.unnest(rows, ['text', 'text', 'uuid', 'text'])} as event
    on conflict on constraint webhook_delivery_once do nothing
  `);
}
