/** Delays between two passes, with open attempts and without. */
const BUSY_MS = 100;
const IDLE_MS = 1_000;
/** While subscriptions are live: each notification wakes the watch. */
const HINTED_MS = 500;
/** A stored attempt is first due a moment later; the pace stays quick until then. */
const QUICK_FOR_MS = 2_000;
/** Attempts in one pass; after a full one, more are due. */
export const ATTEMPTS_PER_PASS = 256;

export type WatchPace = {
  /** Quickens the pace after an attempt was stored. Returns whether a pass is due at once. */
  readonly quicken: () => boolean;
  /** Returns the delay after a pass over `attempts` attempts. */
  readonly delayMsAfter: (attempts: number) => number;
};

/** Sets the pace of the watch. A pass each second covers every lost notification and hint. */
export function createWatchPace({
  monotonicMs,
  areHintsLive,
}: {
  readonly monotonicMs: () => number;
  readonly areHintsLive: () => boolean;
}): WatchPace {
  let quickUntilMs = Number.NEGATIVE_INFINITY;
  return {
    quicken: () => {
      const now = monotonicMs();
      const wasSlow = now >= quickUntilMs;
      quickUntilMs = now + QUICK_FOR_MS;
      return wasSlow && !areHintsLive();
    },
    delayMsAfter: (attempts) => {
      if (attempts >= ATTEMPTS_PER_PASS) return 0;
      if (areHintsLive()) return HINTED_MS;
      return attempts > 0 || monotonicMs() < quickUntilMs ? BUSY_MS : IDLE_MS;
    },
  };
}
