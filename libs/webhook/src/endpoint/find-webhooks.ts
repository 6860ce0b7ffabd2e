import type { Database, SqlTransaction } from '@agent-wallet/db';
import { sql } from 'slonik';
import { z } from 'zod';
import { type Webhook, webhookColumns, webhookRow } from './endpoint.ts';

/** The webhook of this wallet's owner; null when there is none with this id. */
export async function findWebhook(
  db: Pick<Database | SqlTransaction, 'maybeOne'>,
  { walletId, webhookId }: { readonly walletId: string; readonly webhookId: string },
): Promise<Webhook | null> {
  return db.maybeOne(sql.type(webhookRow)`
    select ${webhookColumns} from webhook_endpoint endpoint
    where endpoint.endpoint_id = ${webhookId}::uuid and endpoint.wallet_id = ${walletId}::uuid
  `);
}

/** The wallet's webhooks, oldest first. */
export async function listWebhooks(db: Database, walletId: string): Promise<readonly Webhook[]> {
  return db.any(sql.type(webhookRow)`
    select ${webhookColumns} from webhook_endpoint endpoint
    where endpoint.wallet_id = ${walletId}::uuid
    order by endpoint.created_at, endpoint.endpoint_id
  `);
}

const requestedRow = z.object({ webhookId: z.string(), requestDigest: z.instanceof(Buffer) });

/** A webhook and the SHA-256 of the request that created it. */
export type RequestedWebhook = z.output<typeof requestedRow>;

/** The webhook that was created under this Idempotency-Key; null when there is none. */
export async function findRequestedWebhook(
  db: Pick<Database | SqlTransaction, 'maybeOne'>,
  walletId: string,
  idempotencyKey: string,
): Promise<RequestedWebhook | null> {
  return db.maybeOne(sql.type(requestedRow)`
    select endpoint_id as "webhookId", request_digest as "requestDigest" from webhook_endpoint
    where wallet_id = ${walletId}::uuid and idempotency_key = ${idempotencyKey}
  `);
}
