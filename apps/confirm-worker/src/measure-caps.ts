import type { Database } from '@agent-wallet/db';
import { sumCaps } from '@agent-wallet/spend';
import type { Metrics } from './metrics.ts';

const MEASURE_EVERY_MS = 60_000;

/** Measures what all session keys together could move, in one query. */
export function createMeasureCaps(deps: {
  readonly db: Database;
  readonly metrics: Pick<Metrics, 'spendableSessions' | 'blastRadius'>;
}): () => Promise<number> {
  return async () => {
    const { sessions, within24h, untilExpiry } = await sumCaps(deps.db);
    deps.metrics.spendableSessions.set(sessions);
    deps.metrics.blastRadius.set({ horizon: '24h' }, Number(within24h));
    deps.metrics.blastRadius.set({ horizon: 'until_expiry' }, Number(untilExpiry));
    return MEASURE_EVERY_MS;
  };
}

/** Ends the measurements of a copy that no longer leads. */
export function resetCaps(metrics: Pick<Metrics, 'spendableSessions' | 'blastRadius'>): void {
  metrics.spendableSessions.set(0);
  metrics.blastRadius.reset();
}
