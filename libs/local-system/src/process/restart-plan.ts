const FIRST_PAUSE_MS = 200;
/** Within this time so many exits are a fault that a further restart does not cure. */
const WINDOW_MS = 60_000;
const MOST_EXITS = 5;

/** Decides about each unexpected exit of one process. */
export type RestartPlan = {
  /** Returns how long to wait before the process is started again, or null to give it up. */
  pauseAfterExit(): number | null;
};

/**
 * Counts the exits of the last minute: the pause before a restart doubles with each of them from
 * 0.2 s, and the fifth ends the restarts. `now` is a monotonic clock in milliseconds.
 */
export function createRestartPlan(now: () => number): RestartPlan {
  let exits: readonly number[] = [];
  return {
    pauseAfterExit: () => {
      const nowMs = now();
      exits = [...exits.filter((exitMs) => nowMs - exitMs < WINDOW_MS), nowMs];
      return exits.length < MOST_EXITS ? FIRST_PAUSE_MS * 2 ** (exits.length - 1) : null;
    },
  };
}
