import {
  toAmountOut,
  type WebhookAnswer,
  type WebhookDeliveryAnswer,
} from '@agent-wallet/contract';
import type { Webhook, WebhookDelivery } from '@agent-wallet/webhook';

/** A webhook as its owner reads it. */
export const describeWebhook = (webhook: Webhook): WebhookAnswer => ({
  webhook_id: webhook.webhookId,
  wallet_id: webhook.walletId,
  url: webhook.url,
  events: webhook.events,
  low_balance_below: webhook.lowBalanceBelow === null ? null : toAmountOut(webhook.lowBalanceBelow),
  enabled: webhook.enabled,
  disabled_why: webhook.disabledWhy,
  failing_since: webhook.failingSince?.toISOString() ?? null,
  old_secret_ends_at: webhook.oldSecretEndsAt?.toISOString() ?? null,
  created_at: webhook.createdAt.toISOString(),
});

/** A delivery as the owner reads it. */
export const describeDelivery = (delivery: WebhookDelivery): WebhookDeliveryAnswer => ({
  delivery_id: delivery.deliveryId,
  event_id: delivery.eventId,
  type: delivery.type,
  state: delivery.state,
  tries: delivery.tries,
  last_status: delivery.lastStatus,
  last_fault: delivery.lastFault,
  next_try_at: delivery.tryAt?.toISOString() ?? null,
  created_at: delivery.createdAt.toISOString(),
  ended_at: delivery.endedAt?.toISOString() ?? null,
});
