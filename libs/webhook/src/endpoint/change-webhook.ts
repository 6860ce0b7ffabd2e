import type { ChangeWebhookBody } from '@agent-wallet/contract';
import type { Database } from '@agent-wallet/db';
import { sql } from 'slonik';
import { followsLog, type Webhook, webhookColumns, webhookRow } from './endpoint.ts';

type Place = { readonly walletId: string; readonly webhookId: string };
type Change = Pick<Webhook, 'url' | 'events' | 'lowBalanceBelow'> & {
  readonly enabled: ChangeWebhookBody['enabled'];
};

/**
 * Changes a webhook. One that did not follow the log begins with the rows from now on. Null when the
 * wallet has no such webhook.
 */
export async function changeWebhook(
  db: Database,
  { walletId, webhookId }: Place,
  { url, events, lowBalanceBelow, enabled }: Change,
): Promise<Webhook | null> {
  const isEnabled = sql.fragment`coalesce(${enabled ?? null}::boolean, enabled)`;
  return db.maybeOne(sql.type(webhookRow)`
    update webhook_endpoint endpoint
    set url = ${url}, events = ${sql.array([...events], 'text')},
      low_balance_below = ${lowBalanceBelow?.toString() ?? null}::numeric,
      low_since = case
        when low_balance_below is not distinct from ${lowBalanceBelow?.toString() ?? null}::numeric
        then low_since end,
      enabled = ${isEnabled},
      disabled_why = case
        when ${isEnabled} then null when ${enabled ?? null}::boolean is false then 'owner'
        else disabled_why end,
      failing_since = case
        when url = ${url} and enabled = ${isEnabled} then failing_since end,
      audit_seq = case when ${followsLog} then endpoint.audit_seq else wallet.audit_seq end
    from wallet
    where endpoint.endpoint_id = ${webhookId}::uuid and endpoint.wallet_id = ${walletId}::uuid
      and wallet.wallet_id = endpoint.wallet_id
    returning ${webhookColumns}
  `);
}

/** Removes a webhook with its secrets and deliveries. False when the wallet has no such webhook. */
export async function removeWebhook(
  db: Database,
  { walletId, webhookId }: Place,
): Promise<boolean> {
  const removed = await db.query(sql.unsafe`
    delete from webhook_endpoint
    where endpoint_id = ${webhookId}::uuid and wallet_id = ${walletId}::uuid
  `);
  return removed.rowCount > 0;
}
