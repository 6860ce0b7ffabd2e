import type { Database } from '@agent-wallet/db';
import type { Egress } from '@agent-wallet/egress';
import type { WebhookKeystore } from '@agent-wallet/keystore';
import {
  hasWebhooks,
  leaseWebhookDeliveries,
  type LeasedWebhookDelivery,
  recordWebhookTry,
  type WebhookTry,
} from '@agent-wallet/webhook';
import { judgeTry } from './judge-try.ts';
import { delayAfterTries } from './retry-schedule.ts';
import { signDelivery } from './sign-delivery.ts';
import type { WebhookMetrics } from './webhook-metrics.ts';

export type WebhookSender = {
  /** Starts the deliveries that are due. Returns the delay. */
  readonly pass: () => Promise<number>;
  /** Waits for the tries under way. */
  readonly drain: () => Promise<void>;
};

type Deps = {
  readonly db: Database;
  readonly egress: Egress;
  readonly keystore: WebhookKeystore;
  readonly metrics: WebhookMetrics;
  readonly onFault: (error: unknown) => void;
};

const TIMEOUT_MS = 10_000;
/** Longer than a try and its record can take: a holder that lost its lease has ended. */
const LEASE_MS = TIMEOUT_MS + 20_000;
const AT_ONCE = 64;
const PASS_EVERY_MS = 1_000;
/** Without any webhook. */
const IDLE_MS = 5_000;

/** Sends the events of webhooks. It reads no response body and follows no redirect. */
export function createWebhookSender(deps: Deps): WebhookSender {
  const { db } = deps;
  const running = new Set<Promise<void>>();
  const start = (leased: LeasedWebhookDelivery): void => {
    const tried = tryOnce(deps, leased)
      .catch(deps.onFault)
      .finally(() => running.delete(tried));
    running.add(tried);
  };
  return {
    pass: async () => {
      if (!(await hasWebhooks(db))) return IDLE_MS;
      const limit = AT_ONCE - running.size;
      const leased =
        limit > 0 ? await leaseWebhookDeliveries(db, { leaseMs: LEASE_MS, limit }) : [];
      for (const one of leased) start(one);
      return leased.length > 0 ? 0 : PASS_EVERY_MS;
    },
    drain: async () => void (await Promise.all(running)),
  };
}

async function tryOnce(deps: Deps, leased: LeasedWebhookDelivery): Promise<void> {
  const { db, metrics } = deps;
  const tried = await send(deps, leased);
  const disabledWhy = await recordWebhookTry(db, leased, tried);
  const isOver = tried.tryAgainInMs === null || tried.isGone;
  const outcome = tried.isDelivered ? 'delivered' : isOver ? 'given_up' : 'failed';
  metrics.tries.inc({ outcome });
  if (disabledWhy !== null) metrics.disabled.inc({ why: disabledWhy });
}

async function send(deps: Deps, leased: LeasedWebhookDelivery): Promise<WebhookTry> {
  const { egress, keystore, onFault } = deps;
  let headers: Readonly<Record<string, string>>;
  try {
    headers = signDelivery(leased, keystore, new Date());
  } catch (error) {
    onFault(error);
    const tryAgainInMs = delayAfterTries(leased.tries, Math.random());
    const fault = 'secret_unreadable';
    return { isDelivered: false, status: null, fault, tryAgainInMs, isGone: false };
  }
  const { url, body } = leased;
  const request = { method: 'POST', url, headers, body, timeoutMs: TIMEOUT_MS, maxBytes: null };
  return judgeTry(await egress(request), leased.tries, Math.random());
}
