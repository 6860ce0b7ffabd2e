type Nudge = (walletId: string) => Promise<void>;

/**
 * Nudges wallets without waiting for the queue: no response depends on it, because the sweep finds a
 * row whose nudge was lost.
 */
export function createNudgeInBackground(nudge: Nudge, onFault: (error: unknown) => void): Nudge {
  return async (walletId) => {
    nudge(walletId).catch(onFault);
  };
}
