import { openSpans, type TimeWindow } from '@agent-wallet/policy';
import { openMinutesOf } from './week-hours.ts';

/** A day on which the clock of the window's zone changes, and what that does to the window. */
export type ClockChange = {
  /** Unix milliseconds of the change. */
  readonly atMs: number;
  /** The day in the zone, such as 2027-03-28. */
  readonly day: string;
  /** What the clock shows right before and right after, such as 02:00 and 03:00. */
  readonly before: string;
  readonly after: string;
  /** The minutes in which the window is open on that day, and on a usual such weekday. */
  readonly openMinutes: number;
  readonly usualMinutes: number;
};

const MINUTE_MS = 60_000;
const DAY_MS = 1_440 * MINUTE_MS;
/** Every zone that changes its clock each year does so twice within this. */
const DAYS_AHEAD = 366;

/** The clock changes of the year after `nowMs` in the window's zone; at most a handful. */
export function clockChanges(window: TimeWindow, nowMs: number): readonly ClockChange[] {
  const localMs = createLocalClock(window.timezone);
  const offsetAt = (atMs: number): number => localMs(atMs) - atMs;
  const found: ClockChange[] = [];
  const startMs = Math.floor(nowMs / MINUTE_MS) * MINUTE_MS;
  for (let day = 0; day < DAYS_AHEAD; day += 1) {
    const fromMs = startMs + day * DAY_MS;
    const before = offsetAt(fromMs);
    const after = offsetAt(fromMs + DAY_MS);
    if (before === after) continue;
    const atMs = firstMinute(fromMs, fromMs + DAY_MS, (ms) => offsetAt(ms) !== before);
    found.push(describe(window, atMs, before, after));
  }
  return found;
}

function describe(window: TimeWindow, atMs: number, before: number, after: number): ClockChange {
  const midnightMs = Math.floor((atMs + after) / DAY_MS) * DAY_MS;
  const weekday = (new Date(midnightMs).getUTCDay() + 6) % 7;
  const spans = openSpans(window, midnightMs - before, midnightMs + DAY_MS - after);
  const openMs = spans.reduce((sum, { fromMs, toMs }) => sum + toMs - fromMs, 0);
  const clock = (offset: number): string => new Date(atMs + offset).toISOString().slice(11, 16);
  return {
    atMs,
    day: new Date(midnightMs).toISOString().slice(0, 10),
    before: clock(before),
    after: clock(after),
    openMinutes: openMs / MINUTE_MS,
    usualMinutes: openMinutesOf(window, weekday),
  };
}

/** The first whole minute in (`fromMs`, `toMs`] for which `isLater` holds. */
function firstMinute(fromMs: number, toMs: number, isLater: (atMs: number) => boolean): number {
  let [low, high] = [0, (toMs - fromMs) / MINUTE_MS];
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (isLater(fromMs + middle * MINUTE_MS)) high = middle;
    else low = middle;
  }
  return fromMs + high * MINUTE_MS;
}

/** What the clock of a zone shows at a moment, as if it were UTC; to the minute. */
function createLocalClock(timezone: string): (atMs: number) => number {
  const format = new Intl.DateTimeFormat('en-GB', {
    timeZone: timezone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
  });
  return (atMs) => {
    const parts = new Map(format.formatToParts(atMs).map(({ type, value }) => [type, value]));
    const part = (name: Intl.DateTimeFormatPartTypes): number => Number(parts.get(name));
    return Date.UTC(part('year'), part('month') - 1, part('day'), part('hour'), part('minute'));
  };
}
