import type { Database } from '@agent-wallet/db';
import {
  forgetDeliveries,
  hasWebhooks,
  measureDeliveries,
  noticeExpiring,
} from '@agent-wallet/webhook';
import type { WebhookMetrics } from './webhook-metrics.ts';

const EVERY_MS = 30_000;
const MOST_FORGOTTEN = 5_000;

/**
 * Notices what only time brings: expiring sessions, low balances, old deliveries. Returns the delay
 * until the next pass.
 */
export function createLookAfterWebhooks(deps: {
  readonly db: Database;
  readonly watchBalances: () => Promise<void>;
  readonly metrics: WebhookMetrics;
}): () => Promise<number> {
  const { db, metrics } = deps;
  return async () => {
    // Also without an enabled webhook: what was measured and kept before would stay for ever.
    const { open, overdueSeconds } = await measureDeliveries(db);
    metrics.open.set(open);
    metrics.overdueSeconds.set(overdueSeconds);
    await forgetDeliveries(db, MOST_FORGOTTEN);
    if (await hasWebhooks(db)) {
      await noticeExpiring(db);
      // Last: without the chain, the rest has been done.
      await deps.watchBalances();
    }
    return EVERY_MS;
  };
}
