const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;

/** After each failed try, as Standard Webhooks recommends: about three days in all. */
const DELAYS_MS = [
  5 * SECOND_MS,
  5 * MINUTE_MS,
  30 * MINUTE_MS,
  2 * HOUR_MS,
  5 * HOUR_MS,
  10 * HOUR_MS,
  14 * HOUR_MS,
  20 * HOUR_MS,
  24 * HOUR_MS,
];
/** Tries of one outage must not come back at the same moment. */
const JITTER = 0.1;

/**
 * Milliseconds until the next try after `tries` failed ones; null after the last. `draw` is from 0
 * to 1 and makes the delay up to a tenth longer.
 */
export function delayAfterTries(tries: number, draw: number): number | null {
  const delayMs = DELAYS_MS[tries - 1];
  return delayMs === undefined ? null : delayMs * (1 + JITTER * draw);
}
