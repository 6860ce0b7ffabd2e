import type { Rpc } from '@agent-wallet/chain';
import type { Database } from '@agent-wallet/db';
import { createEgress } from '@agent-wallet/egress';
import { openWebhookKeystore, type WebhookKeystore } from '@agent-wallet/keystore';
import type { Leadership } from '@agent-wallet/leadership';
import { type Logger, startLoop } from '@agent-wallet/process';
import type { Metrics } from '../metrics.ts';
import { createLookAfterWebhooks } from './look-after-webhooks.ts';
import { createPlanDeliveries } from './plan-deliveries.ts';
import { createWatchBalances } from './watch-balances.ts';
import { createWebhookMetrics } from './webhook-metrics.ts';
import { createWebhookSender } from './webhook-sender.ts';

type Deps = {
  readonly db: Database;
  readonly rpc: Pick<Rpc, 'accounts'>;
  /** Runs what one copy does for all; its owner closes it. */
  readonly lead: Leadership['lead'];
  /** The master key of webhooks, base64 of 32 bytes; without one, webhooks are switched off. */
  readonly key: string | undefined;
  /** Origins on this machine that a webhook may have. */
  readonly loopbackOrigins: readonly string[];
  readonly metrics: Pick<Metrics, 'registry' | 'alerts'>;
  readonly log: Logger;
};

/**
 * Starts the passes of webhooks beside those that settle spends: each copy sends, one plans. A key that does not fit switches
 * webhooks off with an alert: money goes first.
 */
export async function openWebhooks(deps: Deps): Promise<AsyncDisposable> {
  const stack = new AsyncDisposableStack();
  const keystore = await openKeystore(deps);
  if (keystore === null) return stack;
  const { db, rpc, lead, loopbackOrigins, log } = deps;
  const metrics = createWebhookMetrics(deps.metrics.registry);
  const onError = (error: unknown): void => log.error({ err: error }, 'webhook pass failed');
  const sender = createWebhookSender({
    db,
    egress: createEgress({
      loopbackOrigins,
      onFailed: (fault) => log.info(fault, 'webhook not reached'),
    }),
    keystore,
    metrics,
    onFault: (error) => log.error({ err: error }, 'webhook try failed'),
  });
  stack.defer(() => sender.drain());
  const lookAfter = createLookAfterWebhooks({
    db,
    watchBalances: createWatchBalances({ db, rpc }),
    metrics,
  });
  const sending = startLoop({ run: sender.pass, onError });
  stack.defer(() => sending.close());
  lead('plan_webhooks', { run: createPlanDeliveries({ db, onPlanned: sending.wake }), onError });
  lead('look_after_webhooks', {
    run: lookAfter,
    onError,
    onStoodDown: () => {
      metrics.open.set(0);
      metrics.overdueSeconds.set(0);
    },
  });
  return stack;
}

async function openKeystore({ db, key, metrics, log }: Deps): Promise<WebhookKeystore | null> {
  if (key === undefined) return null;
  try {
    return await openWebhookKeystore({ db, key });
  } catch (error) {
    metrics.alerts.inc({ kind: 'webhook_key' });
    log.error({ err: error }, 'webhooks are off: WEBHOOK_KEY does not open their key');
    return null;
  }
}
