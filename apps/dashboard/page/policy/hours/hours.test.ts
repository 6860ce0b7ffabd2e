import { describe, expect, it } from 'vitest';

import { clockChanges } from './clock-changes.ts';
import { hoursOf, windowOf } from './hours-draft.ts';
import { openMinutesOf, weekHours, windowBetween } from './week-hours.ts';

const WORK = { startMin: 540, endMin: 1_019, days: 0b11111, timezone: 'Europe/Berlin' };

describe('hours as people write them', () => {
  it.each([
    [540, 1_019, '09:00', '17:00'],
    [0, 1_439, '00:00', '00:00'],
    [1_320, 359, '22:00', '06:00'],
    [540, 539, '09:00', '09:00'],
    [600, 600, '10:00', '10:01'],
  ])('from minute %d to %d, both whole, is %s until %s', (start_min, end_min, from, until) => {
    const rest = { days: 31, timezone: 'UTC' };
    expect(hoursOf({ start_min, end_min, ...rest })).toEqual({ from, until, ...rest });
    expect(windowOf({ from, until, ...rest })).toEqual({ start_min, end_min, ...rest });
  });

  it.each(['', '9:00', '24:00', '12:60', '12:00:00'])('does not take %j for a time', (from) => {
    expect(windowOf({ from, until: '17:00', days: 31, timezone: 'UTC' })).toBeNull();
  });
});

describe('the week', () => {
  it('shows each hour as open, partly open or closed', () => {
    const week = weekHours({ ...WORK, startMin: 570 });
    expect(week.map((day) => day.filter((state) => state === 'open').length)).toEqual([
      7, 7, 7, 7, 7, 0, 0,
    ]);
    expect([week[0]?.[8], week[0]?.[9], week[0]?.[10], week[0]?.[17]]).toEqual([
      'closed',
      'partly',
      'open',
      'closed',
    ]);
  });

  it('carries a night over to the next morning, from Sunday to Monday too', () => {
    const week = weekHours({ ...WORK, startMin: 1_320, endMin: 119, days: 0b1000000 });
    expect([week[6]?.[22], week[6]?.[0], week[0]?.[1], week[0]?.[2]]).toEqual([
      'open',
      'closed',
      'open',
      'closed',
    ]);
  });

  it('is drawn between two hours, in whatever order', () => {
    const drawn = { startMin: 540, endMin: 1_019, days: 0b01110 };
    expect(windowBetween({ day: 1, hour: 9 }, { day: 3, hour: 16 })).toEqual(drawn);
    expect(windowBetween({ day: 3, hour: 9 }, { day: 1, hour: 16 })).toEqual(drawn);
    expect(windowBetween({ day: 6, hour: 23 }, { day: 6, hour: 23 })).toEqual({
      startMin: 1_380,
      endMin: 1_439,
      days: 0b1000000,
    });
  });

  it('has the minutes of its days', () => {
    expect([openMinutesOf(WORK, 0), openMinutesOf(WORK, 5)]).toEqual([480, 0]);
  });
});

describe('the days on which the clock changes', () => {
  const NOW = Date.UTC(2026, 10, 23, 12, 34, 56);

  it('are those of the next year, with the minutes that are open on them', () => {
    const nights = { ...WORK, startMin: 60, endMin: 239, days: 0b1000000 };
    expect(clockChanges(nights, NOW)).toEqual([
      {
        atMs: Date.UTC(2027, 2, 28, 1),
        day: '2027-03-28',
        before: '02:00',
        after: '03:00',
        openMinutes: 120,
        usualMinutes: 180,
      },
      {
        atMs: Date.UTC(2027, 9, 31, 1),
        day: '2027-10-31',
        before: '03:00',
        after: '02:00',
        openMinutes: 240,
        usualMinutes: 180,
      },
    ]);
  });

  it('leave a window of other days alone', () => {
    expect(
      clockChanges(WORK, NOW).map((change) => [change.openMinutes, change.usualMinutes]),
    ).toEqual([
      [0, 0],
      [0, 0],
    ]);
  });

  it('belong to the day that is shorter or longer, where midnight changes', () => {
    const all = { startMin: 0, endMin: 1_439, days: 127, timezone: 'America/Santiago' };
    expect(clockChanges(all, NOW).map(({ day, openMinutes }) => [day, openMinutes])).toEqual([
      ['2027-04-03', 1_500],
      ['2027-09-05', 1_380],
    ]);
    const halfHour = { ...all, timezone: 'Australia/Lord_Howe' };
    expect(clockChanges(halfHour, NOW).map((change) => change.openMinutes)).toEqual([1_470, 1_410]);
  });

  it('are none in a zone without them', () => {
    expect(clockChanges({ ...WORK, timezone: 'Asia/Tokyo' }, NOW)).toEqual([]);
  });
});
