/**
 * Clock changes, weekdays and odd zones, against moments and a calculation that are not luxon's.
 */

import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { isWithinWindow, opensAt, type TimeWindow } from './time-window.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
const WEEK_MINUTES = 7 * 1_440;
const ALL_DAYS = 127;
const MONDAY = 1;
const SATURDAY = 32;
const SUNDAY = 64;

const at = (hour: number, minute = 0): number => hour * 60 + minute;
const window = (
  timezone: string,
  startMin: number,
  endMin: number,
  days = ALL_DAYS,
): TimeWindow => ({ startMin, endMin, days, timezone });

/** A window, a moment in UTC, whether it is open then. */
const MOMENTS: readonly (readonly [string, TimeWindow, string, boolean])[] = [
  // Berlin: 29 March 2026 02:00 → 03:00, 25 October 2026 03:00 → 02:00, both at 01:00 UTC.
  ['before a gap', window('Europe/Berlin', at(1, 59), at(3)), '2026-03-29T00:59:59Z', true],
  ['right after a gap', window('Europe/Berlin', at(1, 59), at(3)), '2026-03-29T01:00:59Z', true],
  [
    'past its end behind a gap',
    window('Europe/Berlin', at(1), at(3)),
    '2026-03-29T01:01:00Z',
    false,
  ],
  ['swallowed by a gap', window('Europe/Berlin', at(2), at(2, 59)), '2026-03-29T01:00:00Z', false],
  [
    'in the first pass of a fold',
    window('Europe/Berlin', at(2), at(2, 59)),
    '2026-10-25T00:30:00Z',
    true,
  ],
  [
    'in the second pass of a fold',
    window('Europe/Berlin', at(2), at(2, 59)),
    '2026-10-25T01:30:00Z',
    true,
  ],
  ['behind a fold', window('Europe/Berlin', at(2), at(2, 59)), '2026-10-25T02:00:00Z', false],
  [
    'shut between the passes of a fold',
    window('Europe/Berlin', at(2), at(2, 29)),
    '2026-10-25T00:30:00Z',
    false,
  ],
  [
    'open again in the second pass',
    window('Europe/Berlin', at(2), at(2, 29)),
    '2026-10-25T01:00:00Z',
    true,
  ],
  // New York: 8 March 2026 02:00 → 03:00 at 07:00 UTC, 1 November 2026 02:00 → 01:00 at 06:00 UTC.
  [
    'in New York before the gap',
    window('America/New_York', at(1), at(3)),
    '2026-03-08T06:59:59Z',
    true,
  ],
  [
    'in New York behind the gap',
    window('America/New_York', at(1), at(3)),
    '2026-03-08T07:00:59Z',
    true,
  ],
  [
    'in New York past the end',
    window('America/New_York', at(1), at(3)),
    '2026-03-08T07:01:00Z',
    false,
  ],
  [
    'in New York in the second pass',
    window('America/New_York', at(1), at(1, 30)),
    '2026-11-01T06:15:00Z',
    true,
  ],
  [
    'in New York an hour before the first pass',
    window('America/New_York', at(1), at(1, 30)),
    '2026-11-01T04:15:00Z',
    false,
  ],
  // Lord Howe, half an hour: 5 April 2026 02:00 → 01:30 at 15:00 UTC, 4 October 02:00 → 02:30 at
  // 15:30 UTC.
  [
    'on Lord Howe in the second pass of half an hour',
    window('Australia/Lord_Howe', at(1, 30), at(1, 59)),
    '2026-04-04T15:29:59Z',
    true,
  ],
  [
    'on Lord Howe behind the half hour',
    window('Australia/Lord_Howe', at(1, 30), at(1, 59)),
    '2026-04-04T15:30:00Z',
    false,
  ],
  [
    'on Lord Howe behind a gap of half an hour',
    window('Australia/Lord_Howe', at(2, 30), at(3)),
    '2026-10-03T15:30:00Z',
    true,
  ],
  [
    'on Lord Howe swallowed by it',
    window('Australia/Lord_Howe', at(2), at(2, 29)),
    '2026-10-03T15:30:00Z',
    false,
  ],
  // Chatham, +12:45 and +13:45: 5 April 2026 03:45 → 02:45 at 14:00 UTC, 27 September 02:45 → 03:45
  // at 14:00 UTC.
  [
    'on Chatham in the second pass',
    window('Pacific/Chatham', at(2, 45), at(3, 44)),
    '2026-04-04T14:30:00Z',
    true,
  ],
  [
    'on Chatham behind the gap',
    window('Pacific/Chatham', at(3, 45), at(4)),
    '2026-09-26T14:00:00Z',
    true,
  ],
  [
    'on Chatham before the gap',
    window('Pacific/Chatham', at(3, 45), at(4)),
    '2026-09-26T13:59:59Z',
    false,
  ],
  // Kathmandu is +5:45, Kolkata +5:30, Eucla +8:45, St John's −2:30 in summer, Adelaide +9:30 in
  // winter.
  ['in Kathmandu', window('Asia/Kathmandu', at(9), at(9)), '2026-06-01T03:15:00Z', true],
  [
    'in Kathmandu a minute before',
    window('Asia/Kathmandu', at(9), at(9)),
    '2026-06-01T03:14:59Z',
    false,
  ],
  ['in Kolkata', window('Asia/Kolkata', at(9), at(9)), '2026-06-01T03:30:59Z', true],
  ['in Eucla', window('Australia/Eucla', at(0), at(0)), '2026-06-01T15:15:00Z', true],
  ["in St John's", window('America/St_Johns', at(9), at(9)), '2026-06-01T11:30:00Z', true],
  ['in Adelaide', window('Australia/Adelaide', at(9), at(9)), '2026-06-01T23:30:00Z', true],
  [
    'in Adelaide in summer',
    window('Australia/Adelaide', at(9), at(9)),
    '2026-01-01T22:30:00Z',
    true,
  ],
  // Santiago: 5 April 2026 00:00 → Saturday 23:00 at 03:00 UTC, 6 September 00:00 → 01:00 at 04:00
  // UTC.
  [
    'in Santiago on the Saturday that comes back',
    window('America/Santiago', at(23), at(23, 59), SATURDAY),
    '2026-04-05T03:30:00Z',
    true,
  ],
  [
    'in Santiago on no Sunday yet',
    window('America/Santiago', at(0), at(1), SUNDAY),
    '2026-04-05T03:30:00Z',
    false,
  ],
  [
    'in Santiago on a Sunday without midnight',
    window('America/Santiago', at(0), at(1), SUNDAY),
    '2026-09-06T04:00:00Z',
    true,
  ],
  // Across midnight.
  [
    'across midnight and a gap',
    window('Europe/Berlin', at(23), at(3), SATURDAY),
    '2026-03-29T01:00:00Z',
    true,
  ],
  [
    'across midnight past a gap',
    window('Europe/Berlin', at(23), at(3), SATURDAY),
    '2026-03-29T01:01:00Z',
    false,
  ],
  [
    'across midnight in a fold',
    window('Europe/Berlin', at(23), at(2), SATURDAY),
    '2026-10-25T01:00:59Z',
    true,
  ],
  [
    'across midnight, between the passes',
    window('Europe/Berlin', at(23), at(2), SATURDAY),
    '2026-10-25T00:59:00Z',
    false,
  ],
  [
    'across midnight on its own morning',
    window('Europe/Berlin', at(23), at(2), SUNDAY),
    '2026-10-25T00:00:00Z',
    false,
  ],
  ['across the end of a week', window('UTC', at(23), at(1), SUNDAY), '2026-06-08T00:30:00Z', true],
  ['across the end of a year', window('UTC', at(23), at(1)), '2027-01-01T00:30:00Z', true],
  ['all day but a minute', window('UTC', at(12), at(11, 58)), '2026-06-01T11:59:59Z', false],
  ['all day round', window('UTC', at(12), at(11, 59)), '2026-06-01T11:59:59Z', true],
  ['on the 29th of February', window('UTC', at(0), at(23, 59), 16), '2036-02-29T12:00:00Z', true],
  // Apia left out 30 December 2011, a Friday.
  [
    'in Apia on the Thursday',
    window('Pacific/Apia', at(0), at(23, 59), 8),
    '2011-12-30T09:59:59Z',
    true,
  ],
  [
    'in Apia on the Saturday after it',
    window('Pacific/Apia', at(0), at(23, 59), SATURDAY),
    '2011-12-30T10:00:00Z',
    true,
  ],
];

describe('the time window', () => {
  it.each(MOMENTS)('is right %s', (_, rule, moment, expected) => {
    expect(isWithinWindow(rule, Date.parse(moment))).toBe(expected);
  });

  it('opens each weekday with its own bit and no other', () => {
    // 1 June 2026 is a Monday.
    for (let day = 0; day < 7; day += 1) {
      const noon = Date.parse('2026-06-01T12:00:00Z') + day * DAY_MS;
      const night = Date.parse('2026-06-02T00:30:00Z') + day * DAY_MS;
      for (let bit = 0; bit < 7; bit += 1) {
        expect(isWithinWindow(window('UTC', at(9), at(17), 1 << bit), noon)).toBe(bit === day);
        expect(isWithinWindow(window('UTC', at(23), at(1), 1 << bit), night)).toBe(bit === day);
      }
    }
  });
});

describe('the next opening', () => {
  it.each([
    [
      'behind a gap',
      window('Europe/Berlin', at(2, 30), at(4), SUNDAY),
      '2026-03-28T23:00:00Z',
      '2026-03-29T01:00:00Z',
    ],
    [
      'a week later, swallowed',
      window('Europe/Berlin', at(2, 10), at(2, 50), SUNDAY),
      '2026-03-28T23:00:00Z',
      '2026-04-05T00:10:00Z',
    ],
    [
      'in the second pass of a fold',
      window('Europe/Berlin', at(2), at(2, 29)),
      '2026-10-25T00:30:00Z',
      '2026-10-25T01:00:00Z',
    ],
    [
      'behind a gap of half an hour',
      window('Australia/Lord_Howe', at(2), at(3)),
      '2026-10-03T13:00:00Z',
      '2026-10-03T15:30:00Z',
    ],
    [
      'where midnight is left out',
      window('America/Santiago', at(0), at(1), SUNDAY),
      '2026-09-05T12:00:00Z',
      '2026-09-06T04:00:00Z',
    ],
    [
      'where a Friday is left out',
      window('Pacific/Apia', at(9), at(17), 16),
      '2011-12-29T12:00:00Z',
      '2012-01-05T19:00:00Z',
    ],
    [
      'on the next Monday',
      window('Asia/Kathmandu', at(9), at(17), MONDAY),
      '2026-06-01T12:00:00Z',
      '2026-06-08T03:15:00Z',
    ],
  ])('is found %s', (_, rule, from, expected) => {
    const opens = opensAt(rule, Date.parse(from));
    expect(opens === null ? null : new Date(opens).toISOString()).toBe(
      new Date(expected).toISOString(),
    );
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
    const weekday = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'].indexOf(day);
    if (weekday < 0) throw new Error(`cannot read ${format.format(atMs)}`);
    return weekday * 1_440 + Number(hour) * 60 + Number(minute);
  };
}

/** Every minute of the week in which the window is open, laid out one by one. */
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
  it('is open exactly in the minutes that the rule lays out', () => {
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
