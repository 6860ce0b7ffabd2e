import type { Database, SqlTransaction } from '@agent-wallet/db';
import { sql } from 'slonik';
import { z } from 'zod';

/** A secret that only the confirm-worker can open; the id is part of what is sealed. */
export type SealedSecret = { readonly secretId: string; readonly sealed: Buffer };

/** How long a secret signs after its rotation, beside the new one. */
const OLD_SECRET_HOURS = 24;
/**
 * More than one: a rotation whose response was lost is repeated, and must not end the secret that the
 * receiver has.
 */
const MOST_OLD_SECRETS = 3;

/** Inserts the current secret of a webhook, which must have no other. */
export async function insertSecret(
  tx: SqlTransaction,
  webhookId: string,
  { secretId, sealed }: SealedSecret,
): Promise<void> {
  await tx.query(sql.unsafe`
    insert into webhook_secret (secret_id, endpoint_id, sealed)
    values (${secretId}::uuid, ${webhookId}::uuid, ${sql.binary(sealed)})
  `);
}

/**
 * Makes `secret` the current one of the wallet's webhook. The one before it signs for another 24
 * hours, and so do up to two older ones until their time ends. Returns the end of that time; null
 * when the wallet has no such webhook.
 */
export async function rotateSecret(
  db: Database,
  webhook: { readonly walletId: string; readonly webhookId: string },
  secret: SealedSecret,
): Promise<Date | null> {
  const { walletId, webhookId } = webhook;
  return db.transaction(async (tx) => {
    const held = await tx.maybeOne(sql.unsafe`
      select endpoint_id from webhook_endpoint
      where endpoint_id = ${webhookId}::uuid and wallet_id = ${walletId}::uuid
      for no key update
    `);
    if (held === null) return null;
    await tx.query(sql.unsafe`
      delete from webhook_secret
      where endpoint_id = ${webhookId}::uuid and ends_at <= greatest(now(), (
        select ends_at from webhook_secret
        where endpoint_id = ${webhookId}::uuid and ends_at is not null
        order by ends_at desc offset ${MOST_OLD_SECRETS - 1} limit 1))
    `);
    const { endsAt } = await tx.one(sql.type(z.object({ endsAt: z.date() }))`
      update webhook_secret set ends_at = now() + ${OLD_SECRET_HOURS} * interval '1 hour'
      where endpoint_id = ${webhookId}::uuid and ends_at is null
      returning ends_at as "endsAt"
    `);
    await insertSecret(tx, webhookId, secret);
    return endsAt;
  });
}

/**
 * The key (SPKI, DER) to which secrets are sealed; null until a confirm-worker has started with
 * `WEBHOOK_KEY`.
 */
export async function readSealingKey(db: Database): Promise<Buffer | null> {
  return db.maybeOneFirst(sql.type(z.object({ publicKey: z.instanceof(Buffer) }))`
    select public_key as "publicKey" from webhook_key
  `);
}
