/** Clock changes, weekdays and unusual zones, checked against a calculation without luxon. */

import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { isWithinWindow, opensAt, type TimeWindow } from './time-window.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
const WEEK_MINUTES = 7 * 1_440;
const ALL_DAYS = 127;
const WEEKDAYS = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'];

/** The window of a rule such as `Sat 23:00-3:00`; without a weekday it applies on all days. */
function window(timezone: string, rule: string): TimeWindow {
  const parts = /^(?:(\w{3}) )?(\d+):(\d\d)-(\d+):(\d\d)$/.exec(rule);
  if (parts === null) throw new RangeError(`not a rule: ${rule}`);
  const [, weekday, ...times] = parts;
  const [startHour = NaN, startMinute = NaN, endHour = NaN, endMinute = NaN] = times.map(Number);
  return {
    startMin: startHour * 60 + startMinute,
    endMin: endHour * 60 + endMinute,
    days: weekday === undefined ? ALL_DAYS : 1 << WEEKDAYS.indexOf(weekday),
    timezone,
  };
}

/** By zone: the window, a moment in UTC, and whether the window is open then. */
const MOMENTS: Readonly<Record<string, readonly (readonly [string, string, string, boolean])[]>> = {
  // Clock changes: 29 March 2026 02:00 → 03:00, 25 October 2026 03:00 → 02:00, both at 01:00 UTC.
  'Europe/Berlin': [
    ['before a gap', '1:59-3:00', '2026-03-29T00:59:59Z', true],
    ['right after a gap', '1:59-3:00', '2026-03-29T01:00:59Z', true],
    ['past its end after a gap', '1:00-3:00', '2026-03-29T01:01:00Z', false],
    ['swallowed by a gap', '2:00-2:59', '2026-03-29T01:00:00Z', false],
    ['in the first pass of a fold', '2:00-2:59', '2026-10-25T00:30:00Z', true],
    ['in the second pass of a fold', '2:00-2:59', '2026-10-25T01:30:00Z', true],
    ['after a fold', '2:00-2:59', '2026-10-25T02:00:00Z', false],
    ['closed between the passes of a fold', '2:00-2:29', '2026-10-25T00:30:00Z', false],
    ['open again in the second pass', '2:00-2:29', '2026-10-25T01:00:00Z', true],
    ['across midnight and a gap', 'Sat 23:00-3:00', '2026-03-29T01:00:00Z', true],
    ['across midnight past a gap', 'Sat 23:00-3:00', '2026-03-29T01:01:00Z', false],
    ['across midnight in a fold', 'Sat 23:00-2:00', '2026-10-25T01:00:59Z', true],
    ['across midnight, between the passes', 'Sat 23:00-2:00', '2026-10-25T00:59:00Z', false],
    ['across midnight on its own morning', 'Sun 23:00-2:00', '2026-10-25T00:00:00Z', false],
  ],
  // 8 March 2026 02:00 → 03:00 at 07:00 UTC, 1 November 2026 02:00 → 01:00 at 06:00 UTC.
  'America/New_York': [
    ['before the gap', '1:00-3:00', '2026-03-08T06:59:59Z', true],
    ['after the gap', '1:00-3:00', '2026-03-08T07:00:59Z', true],
    ['past the end', '1:00-3:00', '2026-03-08T07:01:00Z', false],
    ['in the second pass', '1:00-1:30', '2026-11-01T06:15:00Z', true],
    ['an hour before the first pass', '1:00-1:30', '2026-11-01T04:15:00Z', false],
  ],
  // Half an hour: 5 April 2026 02:00 → 01:30 at 15:00 UTC, 4 October 02:00 → 02:30 at 15:30 UTC.
  'Australia/Lord_Howe': [
    ['in the second pass of half an hour', '1:30-1:59', '2026-04-04T15:29:59Z', true],
    ['after the half hour', '1:30-1:59', '2026-04-04T15:30:00Z', false],
    ['after a gap of half an hour', '2:30-3:00', '2026-10-03T15:30:00Z', true],
    ['swallowed by the gap', '2:00-2:29', '2026-10-03T15:30:00Z', false],
  ],
  // 5 April 2026 03:45 → 02:45 and 27 September 02:45 → 03:45, both at 14:00 UTC.
  'Pacific/Chatham': [
    ['in the second pass', '2:45-3:44', '2026-04-04T14:30:00Z', true],
    ['after the gap', '3:45-4:00', '2026-09-26T14:00:00Z', true],
    ['before the gap', '3:45-4:00', '2026-09-26T13:59:59Z', false],
  ],
  'Asia/Kathmandu': [
    ['at +5:45', '9:00-9:00', '2026-06-01T03:15:00Z', true],
    ['a minute before', '9:00-9:00', '2026-06-01T03:14:59Z', false],
  ],
  'Asia/Kolkata': [['at +5:30', '9:00-9:00', '2026-06-01T03:30:59Z', true]],
  'Australia/Eucla': [['at +8:45', '0:00-0:00', '2026-06-01T15:15:00Z', true]],
  'America/St_Johns': [['at −2:30 in summer', '9:00-9:00', '2026-06-01T11:30:00Z', true]],
  'Australia/Adelaide': [
    ['at +9:30 in winter', '9:00-9:00', '2026-06-01T23:30:00Z', true],
    ['at +10:30 in summer', '9:00-9:00', '2026-01-01T22:30:00Z', true],
  ],
  // 5 April 2026 00:00 → Saturday 23:00 at 03:00 UTC, 6 September 00:00 → 01:00 at 04:00 UTC.
  'America/Santiago': [
    ['on the repeated Saturday', 'Sat 23:00-23:59', '2026-04-05T03:30:00Z', true],
    ['before Sunday begins', 'Sun 0:00-1:00', '2026-04-05T03:30:00Z', false],
    ['on a Sunday without midnight', 'Sun 0:00-1:00', '2026-09-06T04:00:00Z', true],
  ],
  UTC: [
    ['across the end of a week', 'Sun 23:00-1:00', '2026-06-08T00:30:00Z', true],
    ['across the end of a year', '23:00-1:00', '2027-01-01T00:30:00Z', true],
    ['in the only closed minute of a day', '12:00-11:58', '2026-06-01T11:59:59Z', false],
    ['open all day', '12:00-11:59', '2026-06-01T11:59:59Z', true],
    ['on the 29th of February', 'Fri 0:00-23:59', '2036-02-29T12:00:00Z', true],
  ],
  // Apia skipped 30 December 2011, a Friday.
  'Pacific/Apia': [
    ['on the Thursday', 'Thu 0:00-23:59', '2011-12-30T09:59:59Z', true],
    ['on the Saturday after it', 'Sat 0:00-23:59', '2011-12-30T10:00:00Z', true],
  ],
};

describe('the time window', () => {
  const rows = Object.entries(MOMENTS).flatMap(([zone, all]) =>
    all.map(([title, rule, moment, expected]) => ({ title, zone, rule, moment, expected })),
  );
  it.each(rows)('in $zone is right $title', ({ zone, rule, moment, expected }) => {
    expect(isWithinWindow(window(zone, rule), Date.parse(moment))).toBe(expected);
  });

  it('opens each weekday with its own bit and no other', () => {
    // 1 June 2026 is a Monday.
    for (let day = 0; day < 7; day += 1) {
      const noon = Date.parse('2026-06-01T12:00:00Z') + day * DAY_MS;
      const night = Date.parse('2026-06-02T00:30:00Z') + day * DAY_MS;
      for (const [bit, weekday] of WEEKDAYS.entries()) {
        expect(isWithinWindow(window('UTC', `${weekday} 9:00-17:00`), noon)).toBe(bit === day);
        expect(isWithinWindow(window('UTC', `${weekday} 23:00-1:00`), night)).toBe(bit === day);
      }
    }
  });
});

/** By zone: the window, a moment in UTC, and when the window opens next. */
const OPENINGS: Readonly<Record<string, readonly (readonly [string, string, string, string])[]>> = {
  'Europe/Berlin': [
    ['after a gap', 'Sun 2:30-4:00', '2026-03-28T23:00Z', '2026-03-29T01:00Z'],
    ['a week later when swallowed', 'Sun 2:10-2:50', '2026-03-28T23:00Z', '2026-04-05T00:10Z'],
    ['in the second pass of a fold', '2:00-2:29', '2026-10-25T00:30Z', '2026-10-25T01:00Z'],
  ],
  'Australia/Lord_Howe': [
    ['after a gap of half an hour', '2:00-3:00', '2026-10-03T13:00Z', '2026-10-03T15:30Z'],
  ],
  'America/Santiago': [
    ['where midnight is skipped', 'Sun 0:00-1:00', '2026-09-05T12:00Z', '2026-09-06T04:00Z'],
  ],
  'Pacific/Apia': [
    ['where a Friday is skipped', 'Fri 9:00-17:00', '2011-12-29T12:00Z', '2012-01-05T19:00Z'],
  ],
  'Asia/Kathmandu': [
    ['on the next Monday', 'Mon 9:00-17:00', '2026-06-01T12:00Z', '2026-06-08T03:15Z'],
  ],
};

describe('the next opening', () => {
  const rows = Object.entries(OPENINGS).flatMap(([zone, all]) =>
    all.map(([title, rule, from, expected]) => ({ title, zone, rule, from, expected })),
  );
  it.each(rows)('in $zone is found $title', ({ zone, rule, from, expected }) => {
    const opens = opensAt(window(zone, rule), Date.parse(from));
    expect(opens).toBe(Date.parse(expected));
  });
});

/** Minute of the week, Monday 00:00 being 0, on the wall of `timezone`; from Intl alone. */
function createWallClock(timezone: string): (atMs: number) => number {
  const format = new Intl.DateTimeFormat('en-GB', {
    timeZone: timezone,
    weekday: 'short',
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
  });
  return (atMs) => {
    const [, day = '', hour, minute] = /^(\w+),? (\d\d):(\d\d)$/.exec(format.format(atMs)) ?? [];
    const weekday = WEEKDAYS.indexOf(day);
    if (weekday < 0) throw new Error(`cannot read ${format.format(atMs)}`);
    return weekday * 1_440 + Number(hour) * 60 + Number(minute);
  };
}

/** All minutes of the week in which the window is open. */
function openMinutes(rule: TimeWindow): Set<number> {
  const length = ((rule.endMin - rule.startMin + 1_440) % 1_440) + 1;
  const open = new Set<number>();
  for (let day = 0; day < 7; day += 1) {
    if (((rule.days >> day) & 1) === 0) continue;
    const start = day * 1_440 + rule.startMin;
    for (let i = 0; i < length; i += 1) open.add((start + i) % WEEK_MINUTES);
  }
  return open;
}

/** Zones and the UTC days around which their clocks change. */
const CHANGES: readonly (readonly [string, readonly string[]])[] = [
  ['Europe/Berlin', ['2026-03-29', '2026-10-25']],
  ['Europe/Dublin', ['2026-03-29', '2026-10-25']],
  ['America/New_York', ['2026-03-08', '2026-11-01']],
  ['America/St_Johns', ['2026-03-08', '2026-11-01']],
  ['America/Havana', ['2026-03-08', '2026-11-01']],
  ['America/Santiago', ['2026-04-05', '2026-09-06']],
  ['America/Nuuk', ['2026-03-29', '2026-10-25']],
  ['Australia/Adelaide', ['2026-04-04', '2026-10-03']],
  ['Australia/Lord_Howe', ['2026-04-04', '2026-10-03']],
  ['Pacific/Chatham', ['2026-04-04', '2026-09-26']],
  ['Antarctica/Troll', ['2026-03-29', '2026-10-25']],
  ['Africa/Cairo', ['2026-04-23', '2026-10-29']],
  ['Africa/Casablanca', ['2026-02-15', '2026-03-22']],
  ['Asia/Kathmandu', ['2026-01-01', '2026-07-01']],
  ['Australia/Eucla', ['2026-01-01', '2026-07-01']],
  ['Pacific/Apia', ['2011-12-30', '2012-04-01']],
  ['UTC', ['2026-01-01', '2028-02-29']],
];

const minuteOfDay = fc.integer({ min: 0, max: 1_439 });
const scene = fc
  .constantFrom(...CHANGES.flatMap(([zone, days]) => days.map((day) => [zone, day] as const)))
  .chain(([timezone, day]) =>
    fc.record({
      rule: fc.record({
        // Often near the hours at which clocks change.
        startMin: fc.oneof(minuteOfDay, fc.integer({ min: 0, max: 240 })),
        endMin: fc.oneof(minuteOfDay, fc.integer({ min: 0, max: 240 })),
        days: fc.integer({ min: 1, max: ALL_DAYS }),
        timezone: fc.constant(timezone),
      }),
      atMs: fc
        .integer({ min: -2 * DAY_MS, max: 2 * DAY_MS })
        .map((offsetMs) => Date.parse(`${day}T00:00:00Z`) + offsetMs),
    }),
  );

describe('against the minutes of the week on an independent clock', () => {
  it('is open exactly in the minutes of its rule', () => {
    fc.assert(
      fc.property(scene, ({ rule, atMs }) => {
        const minute = createWallClock(rule.timezone)(atMs);
        expect(isWithinWindow(rule, atMs)).toBe(openMinutes(rule).has(minute));
      }),
      { numRuns: 2_000 },
    );
  });

  it('opens at the first such minute', () => {
    fc.assert(
      fc.property(scene, ({ rule, atMs }) => {
        const clock = createWallClock(rule.timezone);
        const open = openMinutes(rule);
        let expected: number | null = open.has(clock(atMs)) ? atMs : null;
        const firstMinute = Math.ceil(atMs / MINUTE_MS) * MINUTE_MS;
        const end = firstMinute + 14 * DAY_MS;
        for (let ms = firstMinute; expected === null && ms < end; ms += MINUTE_MS) {
          if (open.has(clock(ms))) expected = ms;
        }
        expect(opensAt(rule, atMs)).toBe(expected);
      }),
      { numRuns: 100 },
    );
  }, 60_000);
});
