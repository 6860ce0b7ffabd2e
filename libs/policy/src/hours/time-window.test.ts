import { DateTime } from 'luxon';
import { describe, expect, it } from 'vitest';

import { isWithinWindow, isTimezone, opensAt, type TimeWindow } from './time-window.ts';

const ALL_DAYS = 0b1111111;
const MONDAY = 0b0000001;
const SUNDAY = 0b1000000;
const office = (days: number, timezone = 'Europe/Berlin'): TimeWindow => ({
  startMin: 9 * 60,
  endMin: 17 * 60,
  days,
  timezone,
});
const night: TimeWindow = { startMin: 1_320, endMin: 120, days: SUNDAY, timezone: 'UTC' };
const ms = (local: string, zone: string): number => DateTime.fromISO(local, { zone }).toMillis();

describe('the time window', () => {
  it.each([
    ['before it opens', office(MONDAY), '2026-06-01T08:59:59', false],
    ['in its first second', office(MONDAY), '2026-06-01T09:00:00', true],
    ['in the last second of its last minute', office(MONDAY), '2026-06-01T17:00:59', true],
    ['a second later', office(MONDAY), '2026-06-01T17:01:00', false],
    ['on another day', office(MONDAY), '2026-06-02T12:00:00', false],
    ['with no day set', office(0), '2026-06-01T12:00:00', false],
  ])('%s', (_case, window, local, expected) => {
    expect(isWithinWindow(window, ms(local, 'Europe/Berlin'))).toBe(expected);
  });

  it.each([
    ['on the evening of its day', '2026-06-07T22:00:00', true],
    ['after midnight of the next day', '2026-06-08T02:00:59', true],
    ['after its last minute', '2026-06-08T02:01:00', false],
    ['in the small hours of its own day', '2026-06-07T01:00:00', false],
    ['on the evening of the next day', '2026-06-08T23:00:00', false],
  ])('across midnight, %s', (_case, local, expected) => {
    expect(isWithinWindow(night, ms(local, 'UTC'))).toBe(expected);
  });

  it('is one minute long when start and end are the same', () => {
    const minute: TimeWindow = { startMin: 600, endMin: 600, days: ALL_DAYS, timezone: 'UTC' };
    expect(isWithinWindow(minute, ms('2026-06-01T10:00:59', 'UTC'))).toBe(true);
    expect(isWithinWindow(minute, ms('2026-06-01T10:01:00', 'UTC'))).toBe(false);
  });

  it('is always open when there is none, and never in an unknown zone', () => {
    expect(isWithinWindow(null, 0)).toBe(true);
    expect(opensAt(null, 7)).toBe(7);
    expect(isWithinWindow(office(ALL_DAYS, 'Mars/Olympus'), 0)).toBe(false);
    expect(opensAt(office(ALL_DAYS, 'Mars/Olympus'), 0)).toBeNull();
    expect(opensAt(office(0), 0)).toBeNull();
  });

  it('follows the wall clock through a clock change', () => {
    const window = office(ALL_DAYS);
    // 28 March 2026 is winter time in Berlin, 29 March is summer time: an hour less in UTC.
    expect(opensAt(window, ms('2026-03-28T00:00:00', 'UTC'))).toBe(ms('2026-03-28T08:00', 'UTC'));
    expect(opensAt(window, ms('2026-03-29T00:00:00', 'UTC'))).toBe(ms('2026-03-29T07:00', 'UTC'));
  });

  it('opens at midnight when the gap takes the rest of the evening', () => {
    // In Nuuk the clock jumps from 23:00 on Saturday to 00:00 on Sunday.
    const saturday = 0b0100000;
    const zone = 'America/Nuuk';
    const window: TimeWindow = { startMin: 1_410, endMin: 120, days: saturday, timezone: zone };
    expect(opensAt(window, ms('2026-03-28T12:00:00', zone))).toBe(ms('2026-03-29T01:00:00', 'UTC'));
  });

  it('knows IANA names', () => {
    expect(['UTC', 'Asia/Kathmandu', 'America/New_York'].every(isTimezone)).toBe(true);
    expect(['', 'Mars/Olympus', 'nonsense', 'UTC+3'].some(isTimezone)).toBe(false);
  });
});
