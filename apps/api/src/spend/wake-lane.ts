import { createBatches } from '../batches.ts';

type Nudge = (sessionId: string) => Promise<void>;

/**
 * Nudges lanes without waiting for the queue: no response depends on it, because the sweep finds a
 * row whose nudge was lost. Nudges of one lane that come while one is under way are one.
 */
export function createWakeLane(nudge: Nudge, onFault: (error: unknown) => void): Nudge {
  const batched = createBatches<null, null>({
    run: async (wakes, sessionId) => {
      await nudge(sessionId);
      return wakes;
    },
    concurrency: 1,
    maxWeight: Infinity,
  });
  return async (sessionId) => {
    batched(sessionId, null).catch(onFault);
  };
}
