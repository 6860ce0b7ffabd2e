import type { Database } from '@agent-wallet/db';
import { followLog, hasWebhooks, listBehind } from '@agent-wallet/webhook';

const PASS_EVERY_MS = 1_000;
/** Without any webhook. */
const IDLE_MS = 5_000;

/**
 * One pass that turns new rows of the log into deliveries. Returns the delay until the next pass, 0
 * when there may be more. `onPlanned` is called when some were inserted.
 */
export function createPlanDeliveries(deps: {
  readonly db: Database;
  readonly onPlanned: () => void;
}): () => Promise<number> {
  const { db, onPlanned } = deps;
  return async () => {
    if (!(await hasWebhooks(db))) return IDLE_MS;
    let rows = 0;
    for (const webhookId of await listBehind(db)) rows += await followLog(db, webhookId);
    if (rows === 0) return PASS_EVERY_MS;
    onPlanned();
    return 0;
  };
}
