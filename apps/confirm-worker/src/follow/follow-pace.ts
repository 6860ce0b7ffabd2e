/** While subscriptions are live: the delay shortly after a notification, and without one. */
const NOTIFIED_MS = 1_000;
const QUIET_MS = 5_000;
/** A node may list a landing a moment after another node has notified it. */
const QUICK_FOR_MS = 3_000;

export type FollowPace = {
  /** Quickens the pace after a notification. Returns whether a pass is due at once. */
  readonly quicken: () => boolean;
  /** Returns the delay after a pass that asks for `delayMs`. */
  readonly delayMsAfter: (delayMs: number) => number;
};

/**
 * Sets the pace of the follower. Without live subscriptions, or while more is to be read, the delay
 * that a pass returns holds. Otherwise notifications wake the follower, and the passes between them
 * only cover lost ones: more often shortly after a notification, seldom without one.
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
      return Math.max(delayMs, monotonicMs() < quickUntilMs ? NOTIFIED_MS : QUIET_MS);
    },
  };
}
