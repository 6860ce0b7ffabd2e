type Nudge = (walletId: string) => Promise<void>;
/** `onNudged` is called when the queue has it. */
type NudgeInBackground = (walletId: string, onNudged?: () => void) => Promise<void>;

/**
 * Nudges wallets without waiting for the queue: no response depends on it, because the sweep finds a
 * row whose nudge was lost.
 */
export function createNudgeInBackground(
  nudge: Nudge,
  onFault: (error: unknown) => void,
): NudgeInBackground {
  return async (walletId, onNudged) => {
    nudge(walletId).then(onNudged).catch(onFault);
  };
}
