import {
  changeWebhookBody,
  createWebhookAnswer,
  createWebhookBody,
  deleteWebhookAnswer,
  emptyBody,
  rotateSecretAnswer,
  webhookAnswer,
  webhookDeliveriesAnswer,
  webhookDeliveryAnswer,
} from '@agent-wallet/contract';
import { z } from 'zod';
import type { Call } from '../../agent/calls.ts';
import { amount } from '../../http/refusal.ts';

const threshold = { low_balance_below: amount.nullable() };
const webhookReply = webhookAnswer.extend(threshold);
const createWebhookReply = createWebhookAnswer.extend(threshold);
const webhooksReply = z.object({ items: z.array(webhookReply) });

const read = { method: 'GET', body: null, movesMoney: false } as const;
const post = { method: 'POST', movesMoney: false } as const;
const WEBHOOKS = '/v1/webhooks';
const WEBHOOK = `${WEBHOOKS}/{id}`;

/** The operations of an owner on webhooks. */
export const WEBHOOK_CALLS = {
  createWebhook: { ...post, path: WEBHOOKS, body: createWebhookBody, reply: createWebhookReply },
  webhooks: { ...read, path: WEBHOOKS, reply: webhooksReply },
  webhook: { ...read, path: WEBHOOK, reply: webhookReply },
  changeWebhook: {
    method: 'PATCH',
    path: WEBHOOK,
    body: changeWebhookBody,
    movesMoney: false,
    reply: webhookReply,
  },
  rotateWebhookSecret: {
    ...post,
    path: `${WEBHOOK}/rotate-secret`,
    body: emptyBody,
    reply: rotateSecretAnswer,
  },
  deleteWebhook: { ...read, method: 'DELETE', path: WEBHOOK, reply: deleteWebhookAnswer },
  testWebhook: {
    ...post,
    path: `${WEBHOOK}/test`,
    body: emptyBody,
    reply: webhookDeliveryAnswer,
  },
  webhookDeliveries: { ...read, path: `${WEBHOOK}/deliveries`, reply: webhookDeliveriesAnswer },
} as const satisfies Record<string, Call<unknown>>;

/** A URL that gets signed events. `low_balance_below` is in base units. */
export type Webhook = z.output<typeof webhookReply>;
/** A webhook with its secret, which is shown once; null when the request was a repetition. */
export type CreatedWebhook = z.output<typeof createWebhookReply>;
/** The new secret of a webhook, shown once. */
export type RotatedSecret = z.output<typeof rotateSecretAnswer>;
/** One event for one webhook, and what came of it. */
export type WebhookDelivery = z.output<typeof webhookDeliveryAnswer>;
