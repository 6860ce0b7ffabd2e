import type { Database } from '@agent-wallet/db';
import { listIdleLanes } from '@agent-wallet/spend';

const SWEEP_EVERY_MS = 2_000;
/** A nudge normally arrives within milliseconds. */
const WAITED_MS = 1_000;
const MAX_LANES_PER_SWEEP = 500;

/**
 * One sweep: nudges every free lane whose queued spend has waited too long. The fence in the nudge
 * makes it a job of its own, which a stuck job of an earlier run cannot swallow.
 */
export function createSweepQueued({
  db,
  nudge,
}: {
  readonly db: Database;
  readonly nudge: (sessionId: string, fence: bigint) => Promise<void>;
}): () => Promise<number> {
  return async () => {
    const lanes = await listIdleLanes(db, { waitedMs: WAITED_MS, limit: MAX_LANES_PER_SWEEP });
    await Promise.all(lanes.map(({ sessionId, fence }) => nudge(sessionId, fence)));
    return SWEEP_EVERY_MS;
  };
}
