import { type AuditRow, readChain } from '@agent-wallet/audit';
import type { Database, SqlTransaction } from '@agent-wallet/db';
import { sql } from 'slonik';
import { z } from 'zod';
import { insertDeliveries, type NewDelivery } from '../delivery/insert-deliveries.ts';
import { followsLog, webhookRow } from '../endpoint/endpoint.ts';
import { DAILY_CAP_EXCEEDED, eventOfRow } from './log-events.ts';
import { writeEvent } from './write-event.ts';

/** Rows of the log that one SQL transaction reads. */
const ROWS_AT_ONCE = 200;
/** A webhook with this many open deliveries waits: the log keeps the events. */
const MOST_OPEN = 1_000;
const WEBHOOKS_AT_ONCE = 200;

const webhookIdRow = z.object({ webhookId: z.string() });

/** Webhooks whose wallet has log rows that they have not been told, at most 200 of them. */
export async function listBehind(db: Database): Promise<readonly string[]> {
  return db.anyFirst(sql.type(webhookIdRow)`
    select endpoint.endpoint_id as "webhookId"
    from webhook_endpoint endpoint join wallet on wallet.wallet_id = endpoint.wallet_id
    where ${followsLog} and endpoint.audit_seq < wallet.audit_seq
      and ${MOST_OPEN} > (
        select count(*) from webhook_delivery delivery
        where delivery.endpoint_id = endpoint.endpoint_id and delivery.state = 'pending')
    order by endpoint.endpoint_id
    limit ${WEBHOOKS_AT_ONCE}
  `);
}

const behindRow = webhookRow
  .pick({ walletId: true, events: true })
  .extend({ auditSeq: z.bigint() });

/**
 * Inserts the deliveries of the next log rows for a webhook, at most 200, and moves its place in the
 * log, in one SQL transaction. Returns how many rows it has read; 0 also while another worker does
 * it. The log of a wallet has no gaps and is written under a lock, so no row is passed over.
 */
export async function followLog(db: Database, webhookId: string): Promise<number> {
  return db.transaction(async (tx) => {
    const webhook = await tx.maybeOne(sql.type(behindRow)`
      select wallet_id as "walletId", events, audit_seq as "auditSeq"
      from webhook_endpoint endpoint
      where endpoint_id = ${webhookId}::uuid and ${followsLog}
      for no key update skip locked
    `);
    if (webhook === null) return 0;
    const { walletId, auditSeq } = webhook;
    const rows = await readChain(tx, { walletId, fromSeq: auditSeq + 1n, limit: ROWS_AT_ONCE });
    const last = rows.at(-1);
    if (last === undefined) return 0;
    const wanted = new Set<string>(webhook.events);
    const events = rows.map(eventOfRow).filter((event) => event !== null);
    const caps = wanted.has('session.daily_cap_reached') ? await reached(tx, webhookId, rows) : [];
    await insertDeliveries(tx, { webhookId, walletId }, [
      ...events.filter(({ type }) => wanted.has(type)),
      ...caps,
    ]);
    await tx.query(sql.unsafe`
      update webhook_endpoint set audit_seq = ${last.seq} where endpoint_id = ${webhookId}::uuid
    `);
    return rows.length;
  });
}

const cappedRow = z.object({ sessionId: z.string(), dailyCap: z.bigint() });

/**
 * The sessions of these rows that have reached their daily cap, unless the webhook was told so in
 * the last 24 hours: a refusal that names it, of an amount that the cap would have had room for, or
 * settled payments of 24 hours that use it up.
 */
async function reached(
  tx: SqlTransaction,
  webhookId: string,
  rows: readonly AuditRow[],
): Promise<readonly NewDelivery[]> {
  const at = rows.at(-1)?.createdAt ?? new Date();
  const refused = rows.filter(({ reason }) => reason === DAILY_CAP_EXCEEDED);
  const settled = rows.filter(({ decision, sessionId }) => decision === 'allow' && sessionId);
  const sessions = await tx.any(sql.type(cappedRow)`
    select session.session_id as "sessionId", session.daily_cap as "dailyCap"
    from session
    where (
      exists (
        select from ${sql.unnest(
          refused.map((row) => [row.sessionId, row.amount?.toString() ?? null]),
          ['uuid', 'numeric'],
        )} as refused (session_id, amount)
        where refused.session_id = session.session_id and refused.amount <= session.daily_cap)
      or session.session_id = any (
          ${sql.array([...new Set(settled.map((row) => row.sessionId))], 'uuid')})
        and session.daily_cap <= (
          select coalesce(sum(amount), 0) from spend
          where spend.session_id = session.session_id
            and spend.created_at > now() - interval '24 hours'
            and kind in ('transfer', 'sign_payment', 'pay_service')
            and status in ('confirmed', 'finalized')))
      and session.session_id = any (
        ${sql.array([...new Set(rows.map((row) => row.sessionId).filter(Boolean))], 'uuid')})
      and not exists (
        select from webhook_delivery told
        where told.endpoint_id = ${webhookId}::uuid and told.session_id = session.session_id
          and told.type = 'session.daily_cap_reached'
          and told.created_at > now() - interval '24 hours')
    order by session.session_id
  `);
  const walletId = rows[0]?.walletId ?? null;
  return sessions.map(({ sessionId, dailyCap }) => {
    const type = 'session.daily_cap_reached';
    const data = { wallet_id: walletId, session_id: sessionId, daily_cap: dailyCap.toString() };
    const eventId = `evt_${crypto.randomUUID().replaceAll('-', '')}`;
    return { eventId, type, sessionId, body: writeEvent({ type, at, data }) };
  });
}
