import { MAX_WEBHOOKS, type WebhookEventType } from '@agent-wallet/contract';
import type { Database } from '@agent-wallet/db';
import { holdWallet } from '@agent-wallet/wallet';
import { sql } from 'slonik';
import { z } from 'zod';
import { findRequestedWebhook, type RequestedWebhook } from './find-webhooks.ts';
import { insertSecret, type SealedSecret } from './secrets.ts';

type NewWebhook = {
  readonly webhookId: string;
  readonly walletId: string;
  readonly url: string;
  readonly events: readonly WebhookEventType[];
  readonly lowBalanceBelow: bigint | null;
  readonly secret: SealedSecret;
  /** An Idempotency-Key and the SHA-256 of the request under it; null without one. */
  readonly request: { readonly key: string; readonly digest: Buffer } | null;
};

type InsertOutcome =
  | { readonly kind: 'inserted' }
  | { readonly kind: 'known'; readonly webhook: RequestedWebhook }
  | { readonly kind: 'full' };

/**
 * Records a webhook with its secret. It gets the events of audit rows from now on. `full`: the
 * wallet has as many webhooks as it may have. `known`: a request under this Idempotency-Key has
 * created one before.
 */
export async function insertWebhook(db: Database, webhook: NewWebhook): Promise<InsertOutcome> {
  const { webhookId, walletId, request } = webhook;
  return holdWallet(db, walletId, async (tx) => {
    if (request !== null) {
      const known = await findRequestedWebhook(tx, walletId, request.key);
      if (known !== null) return { kind: 'known', webhook: known };
    }
    const inserted = await tx.maybeOne(sql.type(z.object({ place: z.number() }))`
      insert into webhook_endpoint (
        endpoint_id, wallet_id, place, url, events, low_balance_below, audit_seq, idempotency_key,
        request_digest)
      select ${webhookId}::uuid, ${walletId}::uuid, min(free.place), ${webhook.url},
        ${sql.array([...webhook.events], 'text')},
        ${webhook.lowBalanceBelow?.toString() ?? null}::numeric,
        (select audit_seq from wallet where wallet_id = ${walletId}::uuid),
        ${request?.key ?? null}::text,
        ${request === null ? null : sql.binary(request.digest)}::bytea
      from generate_series(1, ${MAX_WEBHOOKS}::integer) as free (place)
      where free.place not in (
        select place from webhook_endpoint where wallet_id = ${walletId}::uuid)
      having min(free.place) is not null
      returning place
    `);
    if (inserted === null) return { kind: 'full' };
    await insertSecret(tx, webhookId, webhook.secret);
    return { kind: 'inserted' };
  });
}
