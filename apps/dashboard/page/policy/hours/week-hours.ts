import { openSpans, type TimeWindow } from '@agent-wallet/policy';

export const DAYS = [
  'Monday',
  'Tuesday',
  'Wednesday',
  'Thursday',
  'Friday',
  'Saturday',
  'Sunday',
] as const;
export const HOURS = 24;

/** How much of an hour of the week is open. */
export type HourState = 'open' | 'partly' | 'closed';

/** An hour of the week; `day` 0 is Monday. */
export type WeekHour = { readonly day: number; readonly hour: number };

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = HOURS * HOUR_MS;
/** A Monday. In UTC no hour is skipped or repeated, so a week of it is the week of any clock. */
const MONDAY_MS = Date.UTC(2024, 0, 1);

const weekOf = (window: TimeWindow) =>
  openSpans({ ...window, timezone: 'UTC' }, MONDAY_MS, MONDAY_MS + DAYS.length * DAY_MS);

const overlapMs = (window: TimeWindow, fromMs: number, toMs: number): number =>
  weekOf(window).reduce(
    (sum, span) => sum + Math.max(0, Math.min(span.toMs, toMs) - Math.max(span.fromMs, fromMs)),
    0,
  );

/** By day and hour of the window's own clock: whether agents may spend, without clock changes. */
export function weekHours(window: TimeWindow): readonly (readonly HourState[])[] {
  const spans = weekOf(window);
  return DAYS.map((_name, day) =>
    Array.from({ length: HOURS }, (_, hour) => {
      const fromMs = MONDAY_MS + day * DAY_MS + hour * HOUR_MS;
      const toMs = fromMs + HOUR_MS;
      const touching = spans.filter((span) => span.fromMs < toMs && span.toMs > fromMs);
      if (touching.length === 0) return 'closed';
      return touching.some((span) => span.fromMs <= fromMs && span.toMs >= toMs)
        ? 'open'
        : 'partly';
    }),
  );
}

/** The minutes of a usual day (0 = Monday) in which agents may spend. */
export const openMinutesOf = (window: TimeWindow, day: number): number =>
  overlapMs(window, MONDAY_MS + day * DAY_MS, MONDAY_MS + (day + 1) * DAY_MS) / MINUTE_MS;

/**
 * The window that opens on all days and hours between two hours of the week, both included; a
 * window has the same hours on each of its days.
 */
export function windowBetween(
  one: WeekHour,
  other: WeekHour,
): Pick<TimeWindow, 'startMin' | 'endMin' | 'days'> {
  const [firstDay, lastDay] = [Math.min(one.day, other.day), Math.max(one.day, other.day)];
  const days = DAYS.reduce(
    (mask, _name, day) => (day >= firstDay && day <= lastDay ? mask | (1 << day) : mask),
    0,
  );
  return {
    startMin: Math.min(one.hour, other.hour) * 60,
    endMin: Math.max(one.hour, other.hour) * 60 + 59,
    days,
  };
}
