import { createHash, randomUUID } from 'node:crypto';
import type { CreateWebhookBody } from '@agent-wallet/contract';
import type { Database } from '@agent-wallet/db';
import {
  findRequestedWebhook,
  findWebhook,
  insertWebhook,
  type RequestedWebhook,
  type Webhook,
} from '@agent-wallet/webhook';
import { badRequest, refuse } from '../http/http-refusal.ts';
import { newSecret } from './new-secret.ts';
import { readWebhookUrl } from './webhook-url.ts';

type Deps = { readonly db: Database; readonly loopbackOrigins: readonly string[] };

/** A webhook with its secret; without it when the request is a repetition. */
type CreatedWebhook = { readonly webhook: Webhook; readonly secret: string | null };

/**
 * Creates a webhook of a wallet. The same request under the same Idempotency-Key gets the webhook of
 * the first one, without its secret.
 *
 * Refuses with 400, 409 `too many webhooks` and `idempotency key reused`, 503 `webhooks disabled`.
 */
export async function createWebhook(
  { db, loopbackOrigins }: Deps,
  walletId: string,
  body: CreateWebhookBody,
  idempotencyKey: string | null,
): Promise<CreatedWebhook> {
  const { events, low_balance_below: lowBalanceBelow = null } = body;
  const url = readWebhookUrl(body.url, loopbackOrigins);
  requireThreshold(events, lowBalanceBelow);
  const digest = digestOf({ url, events, lowBalanceBelow });
  const repeat = async (known: RequestedWebhook): Promise<CreatedWebhook> => {
    if (!digest.equals(known.requestDigest)) throw refuse('IDEMPOTENCY_KEY_REUSED');
    return { webhook: await readBack(db, walletId, known.webhookId), secret: null };
  };
  if (idempotencyKey !== null) {
    const known = await findRequestedWebhook(db, walletId, idempotencyKey);
    if (known !== null) return repeat(known);
  }
  const { secret, sealed } = await newSecret(db);
  const webhookId = randomUUID();
  const outcome = await insertWebhook(db, {
    webhookId,
    walletId,
    url,
    events,
    lowBalanceBelow,
    secret: sealed,
    request: idempotencyKey === null ? null : { key: idempotencyKey, digest },
  });
  switch (outcome.kind) {
    case 'full':
      throw refuse('TOO_MANY_WEBHOOKS');
    case 'known':
      return repeat(outcome.webhook);
    case 'inserted':
      return { webhook: await readBack(db, walletId, webhookId), secret };
  }
}

/** Throws 400 for the event of a low balance without its threshold. */
export function requireThreshold(events: readonly string[], lowBalanceBelow: bigint | null): void {
  if (events.includes('wallet.low_balance') && lowBalanceBelow === null) {
    throw badRequest('low_balance_below must be set for the event wallet.low_balance');
  }
}

/** Another request may have removed it in the meantime. */
async function readBack(db: Database, walletId: string, webhookId: string): Promise<Webhook> {
  const webhook = await findWebhook(db, { walletId, webhookId });
  if (webhook === null) throw refuse('WEBHOOK_NOT_FOUND');
  return webhook;
}

function digestOf({
  url,
  events,
  lowBalanceBelow,
}: Pick<Webhook, 'url' | 'events' | 'lowBalanceBelow'>) {
  const fields = [url, events.toSorted(), lowBalanceBelow?.toString() ?? null];
  return createHash('sha256').update(JSON.stringify(fields)).digest();
}
