/** A leader whose passes fail this often in a row lets another copy try. */
const FAILURES_TO_STAND_DOWN = 3;
const BACKOFF = { firstMs: 1_000, mostMs: 30_000 };
/** A pass without an end gives the task away. Every call in a pass has a timeout far below. */
const MOST_PASS_MS = 300_000;
/** A copy that does not lead is woken when it gets the lease. */
const STANDBY_MS = 60_000;

/** One pass. `isNewTerm`: another copy may have led since the last one. Returns the delay. */
export type LedPass = (term: { readonly isNewTerm: boolean }) => Promise<number>;

type LedTaskOptions = {
  readonly run: LedPass;
  readonly onError: (error: unknown) => void;
  /** Called when this copy no longer leads: its measurements are stale. */
  readonly onStoodDown?: (() => void) | undefined;
  readonly monotonicMs: () => number;
};

export type LedTask = {
  /** Runs a pass if this copy leads. Returns the delay until the next one; never throws. */
  readonly pass: () => Promise<number>;
  readonly leads: () => boolean;
  /** False while its passes fail, or one does not end: another copy should lead. */
  readonly wantsLease: () => boolean;
  /** Records the lease, null when another copy has it. Returns whether a pass is due at once. */
  readonly hold: (lease: { readonly fence: bigint; readonly untilMs: number } | null) => boolean;
};

/** The state of a task in one copy: its lease, and whether this copy is fit to lead. */
export function createLedTask(options: LedTaskOptions): LedTask {
  const { run, onError, monotonicMs } = options;
  let lease: { readonly fence: bigint; readonly untilMs: number } | null = null;
  let ranUnder: bigint | null = null;
  let failures = 0;
  let restUntilMs = 0;
  let passSinceMs: number | null = null;

  const leads = (): boolean => lease !== null && monotonicMs() < lease.untilMs;
  const isStuck = (): boolean => passSinceMs !== null && monotonicMs() - passSinceMs > MOST_PASS_MS;
  const isUnfit = (): boolean =>
    isStuck() || (failures >= FAILURES_TO_STAND_DOWN && monotonicMs() < restUntilMs);

  return {
    leads,
    wantsLease: () => !isUnfit(),
    hold: (next) => {
      const hasLed = lease !== null;
      const isDue = next !== null && (!leads() || next.fence !== lease?.fence);
      lease = next;
      if (hasLed && next === null) options.onStoodDown?.();
      return isDue;
    },
    pass: async () => {
      const restMs = restUntilMs - monotonicMs();
      if (restMs > 0) return restMs;
      if (lease === null || !leads()) return STANDBY_MS;
      const { fence } = lease;
      passSinceMs = monotonicMs();
      try {
        const delayMs = await run({ isNewTerm: fence !== ranUnder });
        ranUnder = fence;
        failures = 0;
        return delayMs;
      } catch (error) {
        onError(error);
        failures += 1;
        const delayMs = backoffMs(failures);
        restUntilMs = monotonicMs() + delayMs;
        return delayMs;
      } finally {
        passSinceMs = null;
      }
    },
  };
}

/** 1, 2, 4, 8 … 30 s, with jitter. */
function backoffMs(failures: number): number {
  const doubled = BACKOFF.firstMs * 2 ** Math.min(failures - 1, 10);
  return Math.min(BACKOFF.mostMs, doubled * (1 + Math.random()));
}
