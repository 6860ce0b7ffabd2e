/** Webhooks: endpoints of owners, their secrets, and the deliveries of signed events. */
export { changeWebhook, removeWebhook } from './endpoint/change-webhook.ts';
export type { Webhook } from './endpoint/endpoint.ts';
export {
  findRequestedWebhook,
  findWebhook,
  listWebhooks,
  type RequestedWebhook,
} from './endpoint/find-webhooks.ts';
export { insertWebhook } from './endpoint/insert-webhook.ts';
export { readSealingKey, rotateSecret } from './endpoint/secrets.ts';
export type { WebhookDelivery } from './delivery/delivery.ts';
export { insertTestEvent } from './delivery/insert-test.ts';
export { listDeliveries } from './delivery/list-deliveries.ts';
