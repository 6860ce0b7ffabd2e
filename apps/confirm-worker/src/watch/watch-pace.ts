/** Delays between two passes, with open attempts and without. */
const BUSY_MS = 100;
const IDLE_MS = 1_000;
/** A stored attempt is first due a moment later; the pace stays quick until then. */
const QUICK_FOR_MS = 2_000;

export type WatchPace = {
  /** Quickens the pace after an attempt was stored. Returns whether the pace was slow before. */
  readonly quicken: () => boolean;
  /** Returns the delay after a pass over `attempts` attempts. */
  readonly delayMsAfter: (attempts: number) => number;
};

/** Sets the pace of the watch. A pass each second covers every lost notification. */
export function createWatchPace(monotonicMs: () => number): WatchPace {
  let quickUntilMs = Number.NEGATIVE_INFINITY;
  return {
    quicken: () => {
      const now = monotonicMs();
      const wasSlow = now >= quickUntilMs;
      quickUntilMs = now + QUICK_FOR_MS;
      return wasSlow;
    },
    delayMsAfter: (attempts) => (attempts > 0 || monotonicMs() < quickUntilMs ? BUSY_MS : IDLE_MS),
  };
}
