import { Counter, Gauge, type Registry } from 'prom-client';

export type WebhookMetrics = {
  readonly tries: Counter<'outcome'>;
  readonly disabled: Counter<'why'>;
  readonly open: Gauge;
  readonly overdueSeconds: Gauge;
};

/** The metrics of webhooks. No label holds an id or a URL. */
export function createWebhookMetrics(registry: Registry): WebhookMetrics {
  const registers = [registry];
  return {
    tries: new Counter({
      name: 'agent_wallet_webhook_tries_total',
      help: 'Tries to deliver an event to a webhook, by outcome',
      labelNames: ['outcome'],
      registers,
    }),
    disabled: new Counter({
      name: 'agent_wallet_webhooks_disabled_total',
      help: 'Webhooks that were disabled because their receiver is gone or fails',
      labelNames: ['why'],
      registers,
    }),
    open: new Gauge({
      name: 'agent_wallet_webhook_deliveries_open',
      help: 'Deliveries of enabled webhooks that wait for a try',
      registers,
    }),
    overdueSeconds: new Gauge({
      name: 'agent_wallet_webhook_overdue_seconds',
      help: 'Seconds by which the oldest due delivery is late',
      registers,
    }),
  };
}
