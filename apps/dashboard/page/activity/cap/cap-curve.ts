/** The hours of a session's cap, as the API returns them: unix seconds and base units. */
export type CapFigures = {
  readonly daily_cap: bigint;
  readonly daily_spent_by_hour: readonly { readonly hour: number; readonly amount: bigint }[];
};

/** From this moment on (unix seconds), up to the next step, `counted` base units count. */
type Step = { readonly atSeconds: number; readonly counted: bigint };

/** An hour that counts: what was spent in it, and when that stops counting. */
export type HourOfCap = {
  readonly startSeconds: number;
  readonly amount: bigint;
  readonly freeAtSeconds: number;
  /** What still counts once it is free, if nothing else is spent. */
  readonly countedAfter: bigint;
};

export type CapCurve = {
  readonly fromSeconds: number;
  readonly nowSeconds: number;
  readonly toSeconds: number;
  readonly cap: bigint;
  /** What counts now. */
  readonly counted: bigint;
  readonly remaining: bigint;
  readonly hours: readonly HourOfCap[];
  readonly steps: readonly Step[];
};

const HOUR_SECONDS = 3_600;
/** An hour counts in full for itself and the 24 hours after it (docs/adr/0003). */
const COUNTED_HOURS = 25;

/**
 * What counts against the cap of a session, hour by hour. Up to now, the steps add up what counts
 * now by the hour in which it was spent. After now, they show how it stops counting if nothing else
 * is spent.
 */
export function capCurve(
  { daily_cap: cap, daily_spent_by_hour }: CapFigures,
  nowSeconds: number,
): CapCurve {
  const spent = daily_spent_by_hour.toSorted((a, b) => a.hour - b.hour);
  const thisHour = Math.floor(nowSeconds / HOUR_SECONDS) * HOUR_SECONDS;
  const counted = spent.reduce((sum, { amount }) => sum + amount, 0n);
  const fromSeconds = thisHour - (COUNTED_HOURS - 1) * HOUR_SECONDS;
  const steps: Step[] = [{ atSeconds: fromSeconds, counted: 0n }];
  let sum = 0n;
  for (const { hour, amount } of spent) {
    sum += amount;
    steps.push({ atSeconds: hour, counted: sum });
  }
  const hours: HourOfCap[] = [];
  for (const { hour, amount } of spent) {
    sum -= amount;
    const freeAtSeconds = hour + COUNTED_HOURS * HOUR_SECONDS;
    hours.push({ startSeconds: hour, amount, freeAtSeconds, countedAfter: sum });
    steps.push({ atSeconds: freeAtSeconds, counted: sum });
  }
  return {
    fromSeconds,
    nowSeconds,
    toSeconds: thisHour + COUNTED_HOURS * HOUR_SECONDS,
    cap,
    counted,
    remaining: cap > counted ? cap - counted : 0n,
    hours,
    steps,
  };
}
