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
/** A week, and a second one for a window whose only start falls into a clock change. */
const SEARCH_DAYS = 15;

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

/** The moments of one local day at which a window can open, ascending, in unix milliseconds. */
function openingCandidates(window: TimeWindow, dayStart: DateTime): number[] {
  const startMs = dayStart.toMillis();
  const lengthMinutes =
    (dayStart.plus({ days: 1 }).startOf('day').toMillis() - startMs) / MINUTE_MS;
  const isPlainDay = lengthMinutes === DAY_MINUTES && dayStart.hour === 0 && dayStart.minute === 0;
  if (isPlainDay) return [startMs, startMs + window.startMin * MINUTE_MS];
  // The clock changes on this day, so any minute may be the first one inside. At most about 25
  // hours.
  return Array.from({ length: Math.ceil(lengthMinutes) }, (_, i) => startMs + i * MINUTE_MS);
}

/**
 * The first moment at or after `atMs` (unix milliseconds) at which agents may spend; null when
 * there is none in the next two weeks (no day set, unknown zone).
 */
export function opensAt(window: TimeWindow | null, atMs: number): number | null {
  if (isWithinWindow(window, atMs)) return atMs;
  if (window === null || !hasKnownZone(window)) return null;
  const today = localTime(window, atMs).startOf('day');
  for (let day = 0; day < SEARCH_DAYS; day += 1) {
    const dayStart = today.plus({ days: day }).startOf('day');
    for (const candidateMs of openingCandidates(window, dayStart)) {
      if (candidateMs > atMs && isOpenAt(window, localTime(window, candidateMs)))
        return candidateMs;
    }
  }
  return null;
}
