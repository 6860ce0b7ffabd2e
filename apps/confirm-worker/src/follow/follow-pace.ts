/** The delays while nodes tell landings: soon after one, and when they have told none for a while. */
const TOLD_MS = 1_000;
const QUIET_MS = 5_000;
/** A node may list a landing that another one has told only a moment later. */
const QUICK_FOR_MS = 3_000;

export type FollowPace = {
  /** Quickens the pace after a node told a landing. Returns whether a pass is due at once. */
  readonly quicken: () => boolean;
  /** Returns the delay after a pass that asks for `delayMs`. */
  readonly delayMsAfter: (delayMs: number) => number;
};

/**
 * Sets the pace of the follower: as quick as it asks for while there is something to read or nodes
 * tell no landings; slower after a landing was told, which wakes it; slow otherwise. A pass now and
 * then covers lost notifications.
 */
export function createFollowPace({
  monotonicMs,
  areHintsLive,
}: {
  readonly monotonicMs: () => number;
  readonly areHintsLive: () => boolean;
}): FollowPace {
  let quickUntilMs = monotonicMs() + QUICK_FOR_MS;
  return {
    quicken: () => {
      const now = monotonicMs();
      const wasSlow = now >= quickUntilMs;
      quickUntilMs = now + QUICK_FOR_MS;
      return wasSlow;
    },
    delayMsAfter: (delayMs) => {
      if (delayMs === 0 || !areHintsLive()) return delayMs;
      return Math.max(delayMs, monotonicMs() < quickUntilMs ? TOLD_MS : QUIET_MS);
    },
  };
}
