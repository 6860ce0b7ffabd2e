import type { Database } from '@agent-wallet/db';
import { type IdleLane, listIdleLanes, readBacklog } from '@agent-wallet/spend';
import type { Metrics } from '../metrics.ts';

const SWEEP_EVERY_MS = 2_000;
/** A nudge normally arrives within milliseconds. */
const WAITED_MS = 1_000;
const MAX_WALLETS_PER_SWEEP = 500;

/**
 * One sweep: nudges every wallet with a free lane whose queued spend has waited too long, and
 * measures the backlog. The lane in the nudge makes it a separate job, which a stuck job of an
 * earlier run cannot absorb.
 */
export function createSweepQueued({
  db,
  nudge,
  metrics,
}: {
  readonly db: Database;
  readonly nudge: (walletId: string, idle: Omit<IdleLane, 'walletId'>) => Promise<void>;
  readonly metrics: Pick<Metrics, 'openSpends' | 'oldestSeconds' | 'reserved'>;
}): () => Promise<number> {
  return async () => {
    const lanes = await listIdleLanes(db, { waitedMs: WAITED_MS, limit: MAX_WALLETS_PER_SWEEP });
    await Promise.all(lanes.map(({ walletId, ...idle }) => nudge(walletId, idle)));
    const backlog = await readBacklog(db);
    metrics.openSpends.set({ status: 'queued' }, backlog.queued);
    metrics.openSpends.set({ status: 'in_flight' }, backlog.inFlight);
    metrics.reserved.set(Number(backlog.reserved));
    metrics.oldestSeconds.set({ status: 'queued' }, backlog.oldestQueuedSeconds);
    metrics.oldestSeconds.set({ status: 'in_flight' }, backlog.oldestInFlightSeconds);
    return SWEEP_EVERY_MS;
  };
}
