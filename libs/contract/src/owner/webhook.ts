import { z } from 'zod';
import { amountIn, amountOut } from '../fields/amount.ts';
import { pageQuery } from '../fields/page.ts';
import { SAMPLE } from '../fields/samples.ts';

/** The events that an owner can choose for a webhook. */
const WEBHOOK_EVENTS = [
  'spend.settled',
  'spend.refused',
  'spend.corrected',
  'session.daily_cap_reached',
  'session.expiring',
  'wallet.low_balance',
] as const;

export const webhookEvent = z.enum(WEBHOOK_EVENTS);
export type WebhookEventType = z.output<typeof webhookEvent>;

/** The largest number of webhooks of one wallet. */
export const MAX_WEBHOOKS = 5;

const EVENTS_FAULT = `must be an array of ${WEBHOOK_EVENTS.join(', ')}`;
const urlIn = z
  .string({ error: 'must be a string' })
  .describe('An https URL with a public host name.');
const eventsIn = z
  .array(z.enum(WEBHOOK_EVENTS, { error: EVENTS_FAULT }), { error: EVENTS_FAULT })
  .min(1, { error: 'must hold at least one event' })
  .max(WEBHOOK_EVENTS.length, { error: 'must not hold the same event twice' })
  .refine((list) => new Set(list).size === list.length, {
    error: 'must not hold the same event twice',
  })
  .meta({ uniqueItems: true });
const thresholdIn = amountIn
  .nullable()
  .describe(
    'Threshold of wallet.low_balance, which needs one: the event is sent when the liquid balance falls below it.',
  );

const SAMPLE_REQUEST = {
  url: 'https://hooks.example.com/agent-wallet',
  events: ['spend.settled', 'wallet.low_balance'],
  low_balance_below: 5_000_000,
} as const;

export const createWebhookBody = z
  .object(
    { url: urlIn, events: eventsIn, low_balance_below: thresholdIn.optional() },
    { error: 'must be a JSON object' },
  )
  .meta({ examples: [SAMPLE_REQUEST] });

export type CreateWebhookBody = z.output<typeof createWebhookBody>;

/** Omitted fields keep their value. */
export const changeWebhookBody = z
  .object(
    {
      url: urlIn.optional(),
      events: eventsIn.optional(),
      low_balance_below: thresholdIn.optional(),
      enabled: z.boolean({ error: 'must be true or false' }).optional(),
    },
    { error: 'must be a JSON object' },
  )
  .refine((change) => Object.values(change).some((value) => value !== undefined), {
    error: 'must name one of url, events, low_balance_below and enabled',
  })
  .meta({ minProperties: 1, examples: [{ enabled: false }] });

export type ChangeWebhookBody = z.output<typeof changeWebhookBody>;

const SAMPLE_WEBHOOK = {
  webhook_id: '5c0e9d1f-3b7a-4c26-8e94-1f6a2d7b8c05',
  wallet_id: SAMPLE.walletId,
  ...SAMPLE_REQUEST,
  events: [...SAMPLE_REQUEST.events],
  enabled: true,
  disabled_why: null,
  failing_since: null,
  old_secret_ends_at: null,
  created_at: SAMPLE.iso,
};

export const webhookAnswer = z
  .object({
    webhook_id: z.uuid(),
    wallet_id: z.uuid(),
    url: z.string(),
    events: z.array(webhookEvent),
    low_balance_below: amountOut.nullable(),
    enabled: z.boolean(),
    disabled_why: z
      .enum(['owner', 'gone', 'failing'])
      .nullable()
      .describe(
        'owner: by a request; gone: the receiver has answered 410; failing: five days without a delivery.',
      ),
    failing_since: z.iso
      .datetime()
      .nullable()
      .describe('The first failed try since the last delivery.'),
    old_secret_ends_at: z.iso
      .datetime()
      .nullable()
      .describe('Until then the secret before the last rotation signs as well.'),
    created_at: z.iso.datetime(),
  })
  .meta({
    id: 'Webhook',
    description: 'A URL that gets signed events.',
    examples: [SAMPLE_WEBHOOK],
  });

export type WebhookAnswer = z.infer<typeof webhookAnswer>;

const secretOut = z
  .string()
  .describe('Verifies the signatures of deliveries: whsec_ and base64. Shown this once.');
const SAMPLE_SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwVJ5fJ2mQ1cQ=';

export const createWebhookAnswer = webhookAnswer
  .extend({
    secret: secretOut
      .nullable()
      .describe('Verifies signatures; shown once, null in a repetition of the request.'),
  })
  .meta({
    id: 'CreatedWebhook',
    description: 'The webhook, with its secret.',
    examples: [{ ...SAMPLE_WEBHOOK, secret: SAMPLE_SECRET }],
  });

export const rotateSecretAnswer = z
  .object({ webhook_id: z.uuid(), secret: secretOut, old_secret_ends_at: z.iso.datetime() })
  .meta({
    description: 'The new secret. Until old_secret_ends_at both secrets sign each delivery.',
    examples: [
      {
        webhook_id: SAMPLE_WEBHOOK.webhook_id,
        secret: SAMPLE_SECRET,
        old_secret_ends_at: SAMPLE.iso,
      },
    ],
  });

export const deleteWebhookAnswer = z.object({ webhook_id: z.uuid() }).meta({
  description: 'The webhook is gone, with its deliveries.',
  examples: [{ webhook_id: SAMPLE_WEBHOOK.webhook_id }],
});

export const webhookListAnswer = z
  .object({ items: z.array(webhookAnswer) })
  .meta({ description: 'Oldest first.', examples: [{ items: [SAMPLE_WEBHOOK] }] });

export const webhookParams = z.object({ id: z.string().describe('The webhook_id.') });

const deliveryState = z.enum(['pending', 'delivered', 'failed'], {
  error: 'must be pending, delivered or failed',
});

export const webhookDeliveriesQuery = z.object({
  state: deliveryState.optional(),
  cursor: pageQuery.cursor,
  limit: pageQuery.limit,
});

const SAMPLE_DELIVERY = {
  delivery_id: 'a4d81c3e-7f20-4e95-b6c8-0d3f5e9a7214',
  event_id: 'evt_c1f6a2d493b74e58a0c96d4b2e8f7153',
  type: 'spend.settled',
  state: 'pending',
  tries: 1,
  last_status: 503,
  last_fault: null,
  next_try_at: SAMPLE.iso,
  created_at: SAMPLE.iso,
  ended_at: null,
} as const;

export const webhookDeliveryAnswer = z
  .object({
    delivery_id: z.uuid(),
    event_id: z.string().describe('The header webhook-id: the same in every try.'),
    type: z.enum([...WEBHOOK_EVENTS, 'webhook.test']),
    state: deliveryState.describe('failed: no further try.'),
    tries: z.int(),
    last_status: z
      .int()
      .nullable()
      .describe('HTTP status of the last try; null without a response.'),
    last_fault: z
      .enum(['unreachable', 'tls', 'timeout', 'bad_answer', 'secret_unreadable'])
      .nullable()
      .describe('Why the last try got no response.'),
    next_try_at: z.iso.datetime().nullable(),
    created_at: z.iso.datetime(),
    ended_at: z.iso.datetime().nullable(),
  })
  .meta({
    id: 'WebhookDelivery',
    description: 'One event for one webhook.',
    examples: [SAMPLE_DELIVERY],
  });

export type WebhookDeliveryAnswer = z.infer<typeof webhookDeliveryAnswer>;

export const webhookDeliveriesAnswer = z
  .object({ items: z.array(webhookDeliveryAnswer), next_cursor: z.string().nullable() })
  .meta({
    description: 'A page of deliveries, newest first; next_cursor is null on the last one.',
    examples: [{ items: [SAMPLE_DELIVERY], next_cursor: 'dzEuNDI' }],
  });
