import type { Policy } from '@agent-wallet/sdk/owner';

type StoredWindow = NonNullable<Policy['time_window']>;

/** The time window as it is typed: `until` is the first minute after it, as people say it. */
export type HoursDraft = {
  /** `HH:MM` on the clock of the zone. */
  readonly from: string;
  readonly until: string;
  /** Bit 0 = Monday … bit 6 = Sunday. */
  readonly days: number;
  /** An IANA name. */
  readonly timezone: string;
};

const DAY_MINUTES = 1_440;
const CLOCK = /^(?<hours>[01]\d|2[0-3]):(?<minutes>[0-5]\d)$/;

/** The draft of a stored window, whose last minute counts whole. */
export const hoursOf = ({ start_min, end_min, days, timezone }: StoredWindow): HoursDraft => ({
  from: clockOf(start_min),
  until: clockOf((end_min + 1) % DAY_MINUTES),
  days,
  timezone,
});

/** The window to store; null for times that cannot be read. From and until alike: 24 hours. */
export function windowOf({ from, until, days, timezone }: HoursDraft): StoredWindow | null {
  const [start, end] = [minuteOf(from), minuteOf(until)];
  if (start === null || end === null) return null;
  return { start_min: start, end_min: (end + DAY_MINUTES - 1) % DAY_MINUTES, days, timezone };
}

/** A stored window as the rules of `libs/policy` take it. */
export const toRule = ({ start_min, end_min, days, timezone }: StoredWindow) => ({
  startMin: start_min,
  endMin: end_min,
  days,
  timezone,
});

/** `HH:MM` of a minute of the day. */
export const clockOf = (minute: number): string =>
  [Math.floor(minute / 60), minute % 60].map((part) => String(part).padStart(2, '0')).join(':');

function minuteOf(clock: string): number | null {
  const parts = CLOCK.exec(clock)?.groups;
  return parts === undefined ? null : Number(parts['hours']) * 60 + Number(parts['minutes']);
}
