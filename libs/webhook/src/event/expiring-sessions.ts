import type { Database } from '@agent-wallet/db';
import { sql } from 'slonik';
import { z } from 'zod';
import { insertDeliveries } from '../delivery/insert-deliveries.ts';
import { writeEvent } from './write-event.ts';

const HOURS_BEFORE = 24;
const MOST_AT_ONCE = 500;

const expiringRow = z.object({
  webhookId: z.string(),
  walletId: z.string(),
  sessionId: z.string(),
  expiry: z.bigint(),
  eventId: z.string(),
});

/**
 * Inserts `session.expiring` for live sessions with less than 24 hours left, once for each expiry.
 * Returns how many there were, at most 500.
 */
export async function noticeExpiring(db: Database): Promise<number> {
  const expiring = await db.any(sql.type(expiringRow)`
    select endpoint.endpoint_id as "webhookId", endpoint.wallet_id as "walletId",
      session.session_id as "sessionId", session.expiry, event.id as "eventId"
    from webhook_endpoint endpoint
    join session on session.wallet_id = endpoint.wallet_id
    cross join lateral (
      select 'evt_' || replace(session.session_id::text, '-', '') || '_' || session.expiry as id
    ) event
    where endpoint.enabled and 'session.expiring' = any (endpoint.events)
      and session.status = 'live'
      and session.expiry between extract(epoch from now())
        and extract(epoch from now() + ${HOURS_BEFORE} * interval '1 hour')
      and not exists (
        select from webhook_delivery told
        where told.endpoint_id = endpoint.endpoint_id and told.event_id = event.id)
    order by session.expiry
    limit ${MOST_AT_ONCE}
  `);
  for (const { webhookId, walletId, sessionId, expiry, eventId } of expiring) {
    const type = 'session.expiring';
    const data = { wallet_id: walletId, session_id: sessionId, expiry: Number(expiry) };
    const body = writeEvent({ type, at: new Date(), data });
    await db.transaction(async (tx) => {
      const isThere = await tx.exists(sql.unsafe`
        select 1 from webhook_endpoint where endpoint_id = ${webhookId}::uuid for key share
      `);
      if (!isThere) return;
      await insertDeliveries(tx, { webhookId, walletId }, [{ eventId, type, sessionId, body }]);
    });
  }
  return expiring.length;
}
