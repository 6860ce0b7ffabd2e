import type { Database } from '@agent-wallet/db';
import { sql } from 'slonik';
import { z } from 'zod';

/** Tries at once for one webhook; one while its tries fail, because a slow receiver holds places. */
const AT_ONCE = 4;
const AT_ONCE_FAILING = 1;

const leasedRow = z.object({
  deliveryId: z.string(),
  webhookId: z.string(),
  url: z.string(),
  eventId: z.string(),
  body: z.string(),
  tries: z.number(),
  secrets: z.array(z.object({ secretId: z.string(), sealed: z.string() })),
});

/** A delivery that the caller alone may try now; `sealed` is base64, the newest secret comes first. */
export type LeasedWebhookDelivery = z.output<typeof leasedRow>;

/**
 * Leases deliveries that are due, of healthy webhooks first, a few of each. The lease is on the
 * database's clock and must be longer than a try can take.
 */
export async function leaseWebhookDeliveries(
  db: Database,
  { leaseMs, limit }: { readonly leaseMs: number; readonly limit: number },
): Promise<readonly LeasedWebhookDelivery[]> {
  return db.any(sql.type(leasedRow)`
    with due as materialized (
      select delivery.delivery_id, endpoint.url
      from webhook_endpoint endpoint
      cross join lateral (
        select due.delivery_id, due.try_at from webhook_delivery due
        where due.endpoint_id = endpoint.endpoint_id and due.state = 'pending'
          and due.try_at <= now() and due.lease_until < now()
        order by due.try_at, due.delivery_no
        limit greatest(0, (
          select case when endpoint.failing_since is null then ${AT_ONCE}::bigint
            else ${AT_ONCE_FAILING} end - count(*)
          from webhook_delivery under_way
          where under_way.endpoint_id = endpoint.endpoint_id and under_way.state = 'pending'
            and under_way.lease_until >= now()))
        for no key update skip locked
      ) delivery
      where endpoint.enabled
      order by endpoint.failing_since is not null, delivery.try_at
      limit ${limit}
    )
    update webhook_delivery delivery
    set tries = tries + 1, lease_until = now() + ${leaseMs} * interval '1 millisecond'
    from due
    where delivery.delivery_id = due.delivery_id
    returning delivery.delivery_id as "deliveryId", delivery.endpoint_id as "webhookId", due.url,
      delivery.event_id as "eventId", delivery.body, delivery.tries, (
        select coalesce(jsonb_agg(jsonb_build_object(
          'secretId', secret.secret_id, 'sealed', encode(secret.sealed, 'base64'))
          order by secret.created_at desc), '[]')
        from webhook_secret secret
        where secret.endpoint_id = delivery.endpoint_id
          and (secret.ends_at is null or secret.ends_at > now())
      ) as secrets
  `);
}
