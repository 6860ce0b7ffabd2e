import type { Database } from '@agent-wallet/db';
import { sql } from 'slonik';
import { z } from 'zod';
import type { Webhook } from '../endpoint/endpoint.ts';
import type { WebhookDelivery } from './delivery.ts';
import type { LeasedWebhookDelivery } from './lease-deliveries.ts';

/** What one try came to. */
export type WebhookTry = {
  readonly isDelivered: boolean;
  readonly status: number | null;
  readonly fault: WebhookDelivery['lastFault'];
  /** Of a failed try; null: not again. */
  readonly tryAgainInMs: number | null;
  /** The receiver wants no events any more. */
  readonly isGone: boolean;
};

/** A webhook is disabled when no try has succeeded for this long. */
const FAILING_DAYS = 5;

const recordedRow = z.object({ disabledWhy: z.enum(['gone', 'failing']).nullable() });

/**
 * Records a leased try and ends its lease. Returns why the webhook was disabled by it, if it was;
 * null also when the lease was lost meanwhile.
 */
export async function recordWebhookTry(
  db: Database,
  { deliveryId, webhookId, tries }: LeasedWebhookDelivery,
  { isDelivered, status, fault, tryAgainInMs, isGone }: WebhookTry,
): Promise<Extract<Webhook['disabledWhy'], 'gone' | 'failing'> | null> {
  const isOpen = !isDelivered && tryAgainInMs !== null && !isGone;
  const state = isDelivered ? 'delivered' : isOpen ? 'pending' : 'failed';
  // The webhook first, as a deletion locks them. A success of a healthy webhook changes no row of it.
  const recorded = await db.maybeOne(sql.type(recordedRow)`
    with held as materialized (
      select endpoint_id, enabled, failing_since from webhook_endpoint
      where endpoint_id = ${webhookId}::uuid
      for no key update
    ), recorded as (
      update webhook_delivery delivery
      set state = ${state}, lease_until = '-infinity', last_status = ${status}::integer,
        last_fault = ${fault}::text,
        ended_at = case when ${isOpen} then null else now() end,
        try_at = case when ${isOpen}
          then now() + ${tryAgainInMs}::float8 * interval '1 millisecond' end
      from held
      where delivery.delivery_id = ${deliveryId}::uuid and delivery.state = 'pending'
        and delivery.tries = ${tries}
      returning held.endpoint_id, held.enabled, held.failing_since
    ), judged as (
      select endpoint_id, case
        when not enabled or ${isDelivered} then null
        when ${isGone} then 'gone'
        when failing_since < now() - ${FAILING_DAYS} * interval '1 day' then 'failing'
      end as disabled_why, failing_since
      from recorded
    ), changed as (
      update webhook_endpoint endpoint
      set failing_since = case when ${isDelivered} then null
          else coalesce(endpoint.failing_since, now()) end,
        enabled = endpoint.enabled and judged.disabled_why is null,
        disabled_why = coalesce(judged.disabled_why, endpoint.disabled_why)
      from judged
      where endpoint.endpoint_id = judged.endpoint_id
        and not (${isDelivered} and judged.failing_since is null)
    )
    select disabled_why as "disabledWhy" from judged
  `);
  return recorded?.disabledWhy ?? null;
}
