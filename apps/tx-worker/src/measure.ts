import { countFreeSessionKeys } from '@agent-wallet/keystore';
import type { Database } from '@agent-wallet/db';
import type { LaneQueue } from '@agent-wallet/queue';
import type { Metrics } from './metrics.ts';

const MEASURE_EVERY_MS = 5_000;

/** Measures the queue of lanes. Throws when its store does not respond. */
export function createMeasureQueue({
  queue,
  metrics,
}: {
  readonly queue: Pick<LaneQueue, 'load'>;
  readonly metrics: Pick<Metrics, 'queueMeasured'>;
}): () => Promise<number> {
  return async () => {
    try {
      metrics.queueMeasured(await queue.load());
    } catch (error) {
      metrics.queueMeasured(null);
      throw error;
    }
    return MEASURE_EVERY_MS;
  };
}

/** Counts the session keys that the next sessions can take. */
export function createMeasureSessionKeys({
  db,
  metrics,
}: {
  readonly db: Database;
  readonly metrics: Pick<Metrics, 'sessionKeysFree'>;
}): () => Promise<number> {
  return async () => {
    metrics.sessionKeysFree.set(await countFreeSessionKeys(db));
    return MEASURE_EVERY_MS;
  };
}
