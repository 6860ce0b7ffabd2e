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
export { forgetDeliveries } from './delivery/forget-deliveries.ts';
export { leaseWebhookDeliveries, type LeasedWebhookDelivery } from './delivery/lease-deliveries.ts';
export { listDeliveries } from './delivery/list-deliveries.ts';
export { measureDeliveries } from './delivery/measure-deliveries.ts';
export { recordWebhookTry, type WebhookTry } from './delivery/record-try.ts';
export { noticeExpiring } from './event/expiring-sessions.ts';
export { followLog, listBehind } from './event/follow-log.ts';
export { listWatchedBalances, recordBalance, type WatchedBalance } from './event/low-balance.ts';
export { hasWebhooks } from './endpoint/has-webhooks.ts';
