/**
 * The time window in which agents may spend, in the wall-clock time of an IANA zone.
 *
 * Both end minutes count whole. A window with `startMin > endMin` crosses midnight and belongs to
 * the weekday on which it starts. The wall clock decides: an hour skipped in spring does not occur,
 * and an hour repeated in autumn counts twice.
 */

import { DateTime, IANAZone } from 'luxon';

const DAY_MINUTES = 1_440;
const MINUTE_MS = 60_000;
const DAY_MS = DAY_MINUTES * MINUTE_MS;
/** A week, and a second one for a window whose only start falls into a clock change. */
const SEARCH_DAYS = 15;
const MAX_SPAN_DAYS = 400;

/** Minutes of the day 0…1439; `days` bit 0 = Monday … bit 6 = Sunday; `timezone` an IANA name. */
export type TimeWindow = {
  readonly startMin: number;
  readonly endMin: number;
  readonly days: number;
  readonly timezone: string;
};

/** Whether `timezone` is an IANA name this process knows. */
export function isTimezone(timezone: string): boolean {
  // The runtime accepts offsets such as "+03:00" as zones, but they are not IANA names.
  return /^[A-Za-z]/.test(timezone) && IANAZone.isValidZone(timezone);
}

/** The same for the zone of a stored window, which luxon keeps: a new check costs 0.05 ms. */
const hasKnownZone = ({ timezone }: TimeWindow): boolean =>
  /^[A-Za-z]/.test(timezone) && IANAZone.create(timezone).isValid;

const localTime = (window: TimeWindow, atMs: number): DateTime =>
  DateTime.fromMillis(atMs, { zone: window.timezone });

const hasDay = (window: TimeWindow, weekday: number): boolean =>
  (window.days & (1 << (weekday - 1))) !== 0;

function isOpenAt(window: TimeWindow, local: DateTime): boolean {
  const minute = local.hour * 60 + local.minute;
  const today = hasDay(window, local.weekday);
  if (window.startMin <= window.endMin) {
    return today && minute >= window.startMin && minute <= window.endMin;
  }
  const yesterday = hasDay(window, local.weekday === 1 ? 7 : local.weekday - 1);
  return (today && minute >= window.startMin) || (yesterday && minute <= window.endMin);
}

/**
 * Whether agents may spend at `atMs` (unix milliseconds). No window: always. Unknown zone: never.
 */
export function isWithinWindow(window: TimeWindow | null, atMs: number): boolean {
  if (window === null) return true;
  if (!hasKnownZone(window)) return false;
  return isOpenAt(window, localTime(window, atMs));
}

/** The moments of one local day at which a window can open or close, ascending, in unix milliseconds. */
function changesOfDay(window: TimeWindow, dayStart: DateTime): number[] {
  const startMs = dayStart.toMillis();
  const lengthMinutes =
    (dayStart.plus({ days: 1 }).startOf('day').toMillis() - startMs) / MINUTE_MS;
  const isPlainDay = lengthMinutes === DAY_MINUTES && dayStart.hour === 0 && dayStart.minute === 0;
  if (isPlainDay) {
    const minutes = [0, window.startMin, window.endMin + 1].toSorted((a, b) => a - b);
    return minutes.map((minute) => startMs + minute * MINUTE_MS);
  }
  // The clock changes on this day, so any minute may be the first one inside or outside. At
  // most about 25 hours.
  return Array.from({ length: Math.ceil(lengthMinutes) }, (_, i) => startMs + i * MINUTE_MS);
}

/**
 * The first moment at or after `atMs` (unix milliseconds) at which agents may spend; null when
 * there is none in the next two weeks (no day set, unknown zone).
 */
export function opensAt(window: TimeWindow | null, atMs: number): number | null {
  if (isWithinWindow(window, atMs)) return atMs;
  if (window === null || !hasKnownZone(window)) return null;
  for (const candidateMs of changesFrom(window, atMs, SEARCH_DAYS)) {
    if (isOpenAt(window, localTime(window, candidateMs))) return candidateMs;
  }
  return null;
}

/** What `changesOfDay` returns for `days` local days from `atMs` on, as far as it is later. */
function* changesFrom(window: TimeWindow, atMs: number, days: number): Generator<number> {
  const today = localTime(window, atMs).startOf('day');
  for (let day = 0; day < days; day += 1) {
    const dayStart = today.plus({ days: day }).startOf('day');
    for (const candidateMs of changesOfDay(window, dayStart)) {
      if (candidateMs > atMs) yield candidateMs;
    }
  }
}

/** A time in which agents may spend, in unix milliseconds; `toMs` is the first moment after it. */
export type OpenSpan = { readonly fromMs: number; readonly toMs: number };

/**
 * The times from `fromMs` up to `toMs`, at most 400 days later, in which agents may spend. No
 * window: all of it. Unknown zone: none of it.
 */
export function openSpans(window: TimeWindow | null, fromMs: number, toMs: number): OpenSpan[] {
  if (toMs <= fromMs) return [];
  if (toMs - fromMs > MAX_SPAN_DAYS * DAY_MS) throw new RangeError('more than 400 days');
  if (window === null) return [{ fromMs, toMs }];
  if (!hasKnownZone(window)) return [];
  const spans: OpenSpan[] = [];
  let openedMs = isWithinWindow(window, fromMs) ? fromMs : null;
  // A day of 23 hours and a start in the middle of a day need two days more than the time has.
  const days = Math.ceil((toMs - fromMs) / DAY_MS) + 2;
  for (const changeMs of changesFrom(window, fromMs, days)) {
    if (changeMs >= toMs) break;
    const isOpen = isOpenAt(window, localTime(window, changeMs));
    if (isOpen) openedMs ??= changeMs;
    else if (openedMs !== null) {
      spans.push({ fromMs: openedMs, toMs: changeMs });
      openedMs = null;
    }
  }
  if (openedMs !== null) spans.push({ fromMs: openedMs, toMs });
  return spans;
}
