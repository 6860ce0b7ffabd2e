import type { WebhookEventType } from '@agent-wallet/contract';
import { type AgentApi, newIdempotencyKey } from '../../agent/agent-api.ts';
import { readPages } from '../../http/pages.ts';
import type { TimeLimit } from '../../http/time-limit.ts';
import type { OwnerCallOptions } from '../owner-client.ts';
import {
  type CreatedWebhook,
  type RotatedSecret,
  type Webhook,
  WEBHOOK_CALLS,
  type WebhookDelivery,
} from './webhook-calls.ts';

/** What an owner asks a webhook to be. */
export type WebhookRequest = {
  /** An https URL with a public host name. */
  readonly url: string;
  readonly events: readonly WebhookEventType[];
  /** Base units; `wallet.low_balance` needs one. */
  readonly low_balance_below?: bigint | null;
};

/** Omitted fields keep their value. */
export type WebhookChange = Partial<WebhookRequest> & { readonly enabled?: boolean };

/** What an owner does with webhooks: URLs that get signed events in the form of Standard Webhooks. */
export type OwnerWebhooks = {
  /** At most five for one wallet. The secret of the reply is shown once. */
  create(
    request: WebhookRequest,
    options?: OwnerCallOptions & {
      /** A repeated call with the same key returns the same webhook, without its secret. */
      readonly idempotencyKey?: string;
    },
  ): Promise<CreatedWebhook>;
  /** Oldest first. */
  list(options?: OwnerCallOptions): Promise<readonly Webhook[]>;
  get(webhookId: string, options?: OwnerCallOptions): Promise<Webhook>;
  /** A webhook that is enabled again gets the events from now on. */
  change(webhookId: string, change: WebhookChange, options?: OwnerCallOptions): Promise<Webhook>;
  /** The old secret signs beside the new one for 24 hours. */
  rotateSecret(webhookId: string, options?: OwnerCallOptions): Promise<RotatedSecret>;
  /** Deletes the webhook and its deliveries. */
  delete(webhookId: string, options?: OwnerCallOptions): Promise<void>;
  /** Sends `webhook.test`, at most once in five seconds. */
  test(webhookId: string, options?: OwnerCallOptions): Promise<WebhookDelivery>;
  /** What was sent, newest first; read page by page. */
  deliveries(
    webhookId: string,
    filter?: { readonly state?: WebhookDelivery['state'] | undefined },
    options?: OwnerCallOptions,
  ): AsyncIterable<WebhookDelivery>;
};

const PAGE_SIZE = '200';

/** The calls of webhooks through `api`; `limitOf` starts the time limit of one call. */
export function createOwnerWebhooks(
  api: AgentApi,
  limitOf: (given: OwnerCallOptions) => TimeLimit,
): OwnerWebhooks {
  const calls = WEBHOOK_CALLS;
  return {
    create: async (body, { idempotencyKey = newIdempotencyKey(), ...given } = {}) =>
      api.read(calls.createWebhook, { body, idempotencyKey }, limitOf(given)),
    list: async (given = {}) => (await api.read(calls.webhooks, {}, limitOf(given))).items,
    get: async (id, given = {}) => api.read(calls.webhook, { id }, limitOf(given)),
    change: async (id, body, given = {}) =>
      api.read(calls.changeWebhook, { id, body }, limitOf(given)),
    rotateSecret: async (id, given = {}) =>
      api.read(calls.rotateWebhookSecret, { id, body: {} }, limitOf(given)),
    delete: async (id, given = {}) => {
      await api.read(calls.deleteWebhook, { id }, limitOf(given));
    },
    test: async (id, given = {}) => api.read(calls.testWebhook, { id, body: {} }, limitOf(given)),
    deliveries: (id, { state } = {}, given = {}) =>
      readPages((cursor) => {
        const query = { state, cursor, limit: PAGE_SIZE };
        return api.read(calls.webhookDeliveries, { id, query }, limitOf(given));
      }),
  };
}
