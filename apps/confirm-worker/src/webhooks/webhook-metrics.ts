import { createLabelledCounter, type LabelledCounter } from '@agent-wallet/process';
import { Gauge, type Registry } from 'prom-client';

export type WebhookMetrics = {
  readonly tries: LabelledCounter<'outcome', 'delivered' | 'failed' | 'given_up'>;
  readonly disabled: LabelledCounter<'why', 'gone' | 'failing'>;
  readonly open: Gauge;
  readonly overdueSeconds: Gauge;
};

/** The metrics of webhooks. No label holds an id or a URL. */
export function createWebhookMetrics(registry: Registry): WebhookMetrics {
  const registers = [registry];
  return {
    tries: createLabelledCounter(registry, {
      name: 'agent_wallet_webhook_tries_total',
      help: 'Tries to deliver an event to a webhook, by outcome',
      label: 'outcome',
      values: ['delivered', 'failed', 'given_up'],
    }),
    disabled: createLabelledCounter(registry, {
      name: 'agent_wallet_webhooks_disabled_total',
      help: 'Webhooks that were disabled because their receiver is gone or fails',
      label: 'why',
      values: ['gone', 'failing'],
    }),
    open: new Gauge({
      name: 'agent_wallet_webhook_deliveries_open',
      help: 'Deliveries of enabled webhooks that wait for a try (aggregate with max)',
      registers,
    }),
    overdueSeconds: new Gauge({
      name: 'agent_wallet_webhook_overdue_seconds',
      help: 'Seconds by which the oldest due delivery is late (aggregate with max)',
      registers,
    }),
  };
}
