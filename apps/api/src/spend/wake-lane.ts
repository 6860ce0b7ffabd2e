type Nudge = (sessionId: string) => Promise<void>;

/**
 * Nudges lanes without waiting for the queue: no response depends on it, because the sweep finds a
 * row whose nudge was lost.
 */
export function createWakeLane(nudge: Nudge, onFault: (error: unknown) => void): Nudge {
  return async (sessionId) => {
    nudge(sessionId).catch(onFault);
  };
}
