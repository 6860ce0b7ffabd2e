import {
  emptyBody,
  webhookDeliveriesAnswer,
  webhookDeliveriesQuery,
  webhookDeliveryAnswer,
  webhookParams,
} from '@agent-wallet/contract';
import { insertTestEvent, listDeliveries } from '@agent-wallet/webhook';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { badRequest, rateLimited, refuse, REFUSALS } from '../../http/http-refusal.ts';
import { describeDelivery } from '../../webhook/webhook-view.ts';
import { requireWebhook, type WebhookDeps } from './webhooks.ts';

const CURSOR_PREFIX = 'w1.';

/** What was sent to a webhook, and a test event. */
export function webhookDeliveryRoutes({ db, owners }: WebhookDeps): FastifyPluginAsyncZod {
  return async (app) => {
    app.post(
      '/v1/webhooks/:id/test',
      {
        config: {
          doc: {
            tag: 'Webhooks',
            caller: 'owner',
            summary: 'Send a test event',
            description:
              'Sends webhook.test to the URL, at most once in five seconds. GET /v1/webhooks/{id}/deliveries shows what came of it.',
            errors: ['WEBHOOK_NOT_FOUND', 'WEBHOOK_DISABLED'],
          },
        },
        schema: {
          params: webhookParams,
          body: emptyBody,
          response: { 200: webhookDeliveryAnswer, ...REFUSALS },
        },
      },
      async (request) => {
        const webhook = await requireWebhook(db, owners.ownerOf(request).owner, request.params.id);
        if (!webhook.enabled) throw refuse('WEBHOOK_DISABLED');
        const outcome = await insertTestEvent(db, webhook);
        if (outcome.kind === 'too_soon') throw rateLimited(outcome.retryAfterSeconds);
        return describeDelivery(outcome.delivery);
      },
    );

    app.get(
      '/v1/webhooks/:id/deliveries',
      {
        config: {
          doc: {
            tag: 'Webhooks',
            caller: 'owner',
            summary: 'List the deliveries of a webhook',
            description: 'Newest first; deliveries are kept for 30 days.',
            errors: ['WEBHOOK_NOT_FOUND'],
          },
        },
        schema: {
          params: webhookParams,
          querystring: webhookDeliveriesQuery,
          response: { 200: webhookDeliveriesAnswer, ...REFUSALS },
        },
      },
      async (request) => {
        const { state, cursor, limit } = request.query;
        const beforeNo = cursor === undefined ? undefined : readCursor(cursor);
        const { owner } = owners.ownerOf(request);
        const { webhookId } = await requireWebhook(db, owner, request.params.id);
        // One extra row shows whether there is a next page.
        const rows = await listDeliveries(db, { webhookId, state, beforeNo, limit: limit + 1 });
        const page = rows.slice(0, limit);
        const last = page.at(-1);
        return {
          items: page.map(describeDelivery),
          next_cursor:
            rows.length > limit && last !== undefined ? writeCursor(last.deliveryNo) : null,
        };
      },
    );
  };
}

const writeCursor = (no: bigint): string =>
  Buffer.from(`${CURSOR_PREFIX}${no}`).toString('base64url');

/** Throws 400 for any text that is not a cursor of ours. */
function readCursor(cursor: string): bigint {
  const text = cursor.length > 64 ? '' : Buffer.from(cursor, 'base64url').toString('latin1');
  const no = /^w1\.([1-9][0-9]{0,17})$/.exec(text)?.[1];
  if (no === undefined) throw badRequest('cursor must be a next_cursor of an earlier answer');
  return BigInt(no);
}
