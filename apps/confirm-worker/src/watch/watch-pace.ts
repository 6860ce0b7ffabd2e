/** Between two looks while attempts are open, and when nothing is. */
const BUSY_MS = 100;
const IDLE_MS = 1_000;
/** An attempt is first due a little after it was stored; stay awake for it. */
const QUICK_FOR_MS = 2_000;

export type WatchPace = {
  /** An attempt was stored: look often for a while. True when the pace was slow until now. */
  readonly quicken: () => boolean;
  /** How long to wait after a pass that looked at `attempts` attempts. */
  readonly delayMsAfter: (attempts: number) => number;
};

/** Decides how often to look. A scan each second covers every lost wake-up. */
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
