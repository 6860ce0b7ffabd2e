/**
 * The rolling 24 hours of a session, exactly as the program counts them.
 *
 * 25 hourly buckets, slot = unix hour mod 25. A bucket counts in full until its end is 86 400 s
 * old, so on a clock that does not go back the sum is never below what was spent in any 24 hours,
 * and at most one hour too strict. `lastSeen` is raised only by a spend that passed; a clock behind it counts as `lastSeen`.
 */

const HOUR_SECONDS = 3_600n;
const BUCKET_COUNT = 25;
const BUCKETS = BigInt(BUCKET_COUNT);
/**
 * A bucket of hour h stops counting 25 hours after its start: its own hour plus the 24 after it.
 */
const COUNTED_SECONDS = BUCKETS * HOUR_SECONDS;

/** `buckets` are 25 sums in base units; `lastSeen` is unix seconds of the last spend. */
export type SpendWindow = { readonly buckets: readonly bigint[]; readonly lastSeen: bigint };

/** An hour whose spends still count, and their sum in base units. */
export type CountedBucket = { readonly startSeconds: bigint; readonly amount: bigint };

/** An empty window. */
export function emptySpendWindow(): SpendWindow {
  return { buckets: Array.from({ length: BUCKET_COUNT }, () => 0n), lastSeen: 0n };
}

const later = (a: bigint, b: bigint): bigint => (a > b ? a : b);
const hourOf = (seconds: bigint): bigint => seconds / HOUR_SECONDS;

function amountOfHour(window: SpendWindow, hour: bigint): bigint {
  const amount = window.buckets[Number(hour % BUCKETS)];
  if (amount === undefined) throw new RangeError(`a spend window has ${BUCKET_COUNT} buckets`);
  return amount;
}

/** The buckets that still count at `nowSeconds` and hold something, oldest first. */
export function countedBuckets(window: SpendWindow, nowSeconds: bigint): CountedBucket[] {
  if (nowSeconds < 0n) throw new RangeError('time before 1970 has no spend window');
  const lastHour = hourOf(window.lastSeen);
  const nowHour = hourOf(later(nowSeconds, window.lastSeen));
  const oldestHour = later(nowHour - BUCKETS + 1n, 0n);
  const counted: CountedBucket[] = [];
  // Slots are only valid up to the hour of the last spend, so this runs at most 25 times.
  for (let hour = oldestHour; hour <= lastHour; hour += 1n) {
    const amount = amountOfHour(window, hour);
    if (amount > 0n) counted.push({ startSeconds: hour * HOUR_SECONDS, amount });
  }
  return counted;
}

const sumOf = (counted: readonly CountedBucket[]): bigint =>
  counted.reduce((sum, bucket) => sum + bucket.amount, 0n);

/** The sum that counts against the cap at `nowSeconds`, in base units. */
export function countedSpend(window: SpendWindow, nowSeconds: bigint): bigint {
  return sumOf(countedBuckets(window, nowSeconds));
}

/** Start of the oldest bucket that counts (unix seconds); now − 86 400 when none does. */
export function windowStart(window: SpendWindow, nowSeconds: bigint): bigint {
  return countedBuckets(window, nowSeconds)[0]?.startSeconds ?? nowSeconds - 86_400n;
}

/** When the oldest counted bucket drops out (unix seconds); null when nothing counts. */
export function resetsAt(window: SpendWindow, nowSeconds: bigint): bigint | null {
  const oldest = countedBuckets(window, nowSeconds)[0];
  return oldest === undefined ? null : oldest.startSeconds + COUNTED_SECONDS;
}

/**
 * The first moment (unix seconds, `nowSeconds` when it is now) at which `amount` fits under `cap`
 * if nothing else is spent until then; null when it never does.
 */
export function fitsAt(
  window: SpendWindow,
  nowSeconds: bigint,
  amount: bigint,
  cap: bigint,
): bigint | null {
  if (amount > cap) return null;
  const counted = countedBuckets(window, nowSeconds);
  let sum = sumOf(counted);
  if (sum + amount <= cap) return nowSeconds;
  for (const bucket of counted) {
    sum -= bucket.amount;
    if (sum + amount <= cap) return bucket.startSeconds + COUNTED_SECONDS;
  }
  return null;
}

/**
 * The most that can pass under `cap` from `nowSeconds` to `untilSeconds`, both included, by any
 * number of spends at any moments between them. At least what is left of the cap now.
 *
 * Spending as early as possible is the most: a base unit spent in hour h is free again 25 hours
 * later, at the start of hour h + 25, and can be spent in that very second. So each part of the cap
 * is used once when it is free and once more every 25 hours. What counts above the cap, after it
 * was lowered, is never free.
 */
export function mostSpendable(
  window: SpendWindow,
  cap: bigint,
  { nowSeconds, untilSeconds }: { readonly nowSeconds: bigint; readonly untilSeconds: bigint },
): bigint {
  if (untilSeconds < nowSeconds) return 0n;
  const nowHour = hourOf(later(nowSeconds, window.lastSeen));
  const lastHour = later(hourOf(untilSeconds), nowHour);
  const counted = countedBuckets(window, nowSeconds);
  const sum = sumOf(counted);
  let total = sum < cap ? (cap - sum) * (1n + (lastHour - nowHour) / BUCKETS) : 0n;
  let above = sum > cap ? sum - cap : 0n;
  for (const { startSeconds, amount } of counted) {
    const swallowed = amount < above ? amount : above;
    above -= swallowed;
    total += (amount - swallowed) * ((lastHour - hourOf(startSeconds)) / BUCKETS);
  }
  return total;
}

/**
 * The window after a spend of `amount` that passed at `nowSeconds`. The cap is not checked here.
 */
export function applySpend(window: SpendWindow, nowSeconds: bigint, amount: bigint): SpendWindow {
  if (nowSeconds < 0n) throw new RangeError('time before 1970 has no spend window');
  const lastSeen = later(nowSeconds, window.lastSeen);
  const lastHour = hourOf(window.lastSeen);
  const nowHour = hourOf(lastSeen);
  const buckets = [...window.buckets];
  // Every slot between the last spend and now belongs to an hour that has dropped out: clear it.
  for (let hour = later(lastHour + 1n, nowHour - BUCKETS + 1n); hour <= nowHour; hour += 1n) {
    buckets[Number(hour % BUCKETS)] = 0n;
  }
  const slot = Number(nowHour % BUCKETS);
  buckets[slot] = amountOfHour({ buckets, lastSeen }, nowHour) + amount;
  return { buckets, lastSeen };
}
