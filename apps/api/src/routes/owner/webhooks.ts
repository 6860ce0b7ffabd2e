import {
  changeWebhookBody,
  createWebhookAnswer,
  createWebhookBody,
  deleteWebhookAnswer,
  emptyBody,
  rotateSecretAnswer,
  webhookAnswer,
  webhookListAnswer,
  webhookParams,
} from '@agent-wallet/contract';
import type { Database } from '@agent-wallet/db';
import { findWallet } from '@agent-wallet/wallet';
import {
  changeWebhook,
  findWebhook,
  listWebhooks,
  removeWebhook,
  rotateSecret,
  type Webhook,
} from '@agent-wallet/webhook';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { refuse, REFUSALS } from '../../http/http-refusal.ts';
import { isUuid } from '../../http/request-id.ts';
import { readIdempotencyKey } from '../../spend/spend-headers.ts';
import { requireActiveWallet } from '../../wallet/wallet-activity.ts';
import { createWebhook, requireThreshold } from '../../webhook/create-webhook.ts';
import { newSecret } from '../../webhook/new-secret.ts';
import { readWebhookUrl } from '../../webhook/webhook-url.ts';
import { describeWebhook } from '../../webhook/webhook-view.ts';
import type { OwnerDeps } from './owner-deps.ts';

export type WebhookDeps = OwnerDeps & {
  /** Origins on this machine that a webhook may have. */
  readonly loopbackOrigins: readonly string[];
};

/** The webhook of this owner. Throws 404 when that owner has none with this id. */
export async function requireWebhook(db: Database, owner: string, id: string): Promise<Webhook> {
  const wallet = isUuid(id) ? await findWallet(db, owner) : null;
  const webhook =
    wallet === null ? null : await findWebhook(db, { walletId: wallet.walletId, webhookId: id });
  if (webhook === null) throw refuse('WEBHOOK_NOT_FOUND');
  return webhook;
}

/** The owner's webhooks: create, read, change, rotate the secret, delete. */
export function webhookRoutes(deps: WebhookDeps): FastifyPluginAsyncZod {
  const { db, owners, loopbackOrigins } = deps;
  return async (app) => {
    app.post(
      '/v1/webhooks',
      {
        config: {
          doc: {
            tag: 'Webhooks',
            caller: 'owner',
            summary: 'Create a webhook',
            description:
              'The URL gets the chosen events from now on, as signed POST requests in the form of Standard Webhooks. The secret is shown once. A repetition under the same Idempotency-Key returns the same webhook without its secret.',
            errors: [
              'WALLET_NOT_FOUND',
              'WALLET_NOT_ACTIVE',
              'TOO_MANY_WEBHOOKS',
              'IDEMPOTENCY_KEY_REUSED',
              'WEBHOOKS_DISABLED',
              'RPC_UNAVAILABLE',
            ],
            createsOnce: true,
          },
        },
        schema: { body: createWebhookBody, response: { 200: createWebhookAnswer, ...REFUSALS } },
      },
      async (request) => {
        const key = readIdempotencyKey(request.headers['idempotency-key']);
        // A wallet costs rent once its vault is on chain: rows of wallets alone multiply no requests.
        const { wallet } = await requireActiveWallet(deps, owners.ownerOf(request).owner);
        const created = await createWebhook(deps, wallet.walletId, request.body, key);
        return { ...describeWebhook(created.webhook), secret: created.secret };
      },
    );

    app.get(
      '/v1/webhooks',
      {
        config: { doc: { tag: 'Webhooks', caller: 'owner', summary: 'List the webhooks' } },
        schema: { response: { 200: webhookListAnswer, ...REFUSALS } },
      },
      async (request) => {
        const wallet = await findWallet(db, owners.ownerOf(request).owner);
        const webhooks = wallet === null ? [] : await listWebhooks(db, wallet.walletId);
        return { items: webhooks.map(describeWebhook) };
      },
    );

    app.get(
      '/v1/webhooks/:id',
      {
        config: {
          doc: {
            tag: 'Webhooks',
            caller: 'owner',
            summary: 'Read a webhook',
            errors: ['WEBHOOK_NOT_FOUND'],
          },
        },
        schema: { params: webhookParams, response: { 200: webhookAnswer, ...REFUSALS } },
      },
      async (request) => {
        const { owner } = owners.ownerOf(request);
        return describeWebhook(await requireWebhook(db, owner, request.params.id));
      },
    );

    app.patch(
      '/v1/webhooks/:id',
      {
        config: {
          doc: {
            tag: 'Webhooks',
            caller: 'owner',
            summary: 'Change a webhook',
            description:
              'Omitted fields keep their value. A webhook that was disabled gets the events from now on, not those in between.',
            errors: ['WEBHOOK_NOT_FOUND'],
          },
        },
        schema: {
          params: webhookParams,
          body: changeWebhookBody,
          response: { 200: webhookAnswer, ...REFUSALS },
        },
      },
      async (request) => {
        const { owner } = owners.ownerOf(request);
        const { url, events, low_balance_below: threshold, enabled } = request.body;
        const known = await requireWebhook(db, owner, request.params.id);
        const change = {
          url: url === undefined ? known.url : readWebhookUrl(url, loopbackOrigins),
          events: events ?? known.events,
          lowBalanceBelow: threshold === undefined ? known.lowBalanceBelow : threshold,
          enabled,
        };
        requireThreshold(change.events, change.lowBalanceBelow);
        const changed = await changeWebhook(db, known, change);
        if (changed === null) throw refuse('WEBHOOK_NOT_FOUND');
        return describeWebhook(changed);
      },
    );

    app.post(
      '/v1/webhooks/:id/rotate-secret',
      {
        config: {
          doc: {
            tag: 'Webhooks',
            caller: 'owner',
            summary: 'Replace the secret of a webhook',
            description:
              'The old secret signs for another 24 hours: until then each delivery has a signature by each of them. At most three old secrets sign; a further rotation ends the oldest. After a theft of the secret, delete the webhook and create another.',
            errors: ['WEBHOOK_NOT_FOUND', 'WEBHOOKS_DISABLED'],
          },
        },
        schema: {
          params: webhookParams,
          body: emptyBody,
          response: { 200: rotateSecretAnswer, ...REFUSALS },
        },
      },
      async (request) => {
        const webhook = await requireWebhook(db, owners.ownerOf(request).owner, request.params.id);
        const { secret, sealed } = await newSecret(db);
        const oldSecretEndsAt = await rotateSecret(db, webhook, sealed);
        if (oldSecretEndsAt === null) throw refuse('WEBHOOK_NOT_FOUND');
        return {
          webhook_id: webhook.webhookId,
          secret,
          old_secret_ends_at: oldSecretEndsAt.toISOString(),
        };
      },
    );

    app.delete(
      '/v1/webhooks/:id',
      {
        config: {
          doc: {
            tag: 'Webhooks',
            caller: 'owner',
            summary: 'Delete a webhook',
            description: 'Its deliveries go with it, also those that were not delivered.',
            errors: ['WEBHOOK_NOT_FOUND'],
          },
        },
        schema: { params: webhookParams, response: { 200: deleteWebhookAnswer, ...REFUSALS } },
      },
      async (request) => {
        const webhook = await requireWebhook(db, owners.ownerOf(request).owner, request.params.id);
        if (!(await removeWebhook(db, webhook))) throw refuse('WEBHOOK_NOT_FOUND');
        return { webhook_id: webhook.webhookId };
      },
    );
  };
}
