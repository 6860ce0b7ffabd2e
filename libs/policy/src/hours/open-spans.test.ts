import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { isWithinWindow, openSpans, type TimeWindow } from './time-window.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
const MONDAY_MS = Date.UTC(2026, 5, 1);
const WORK: TimeWindow = { startMin: 540, endMin: 1_019, days: 0b11111, timezone: 'UTC' };

const shown = (window: TimeWindow | null, fromMs: number, toMs: number): string[] =>
  openSpans(window, fromMs, toMs).map((span) =>
    [span.fromMs, span.toMs].map((ms) => new Date(ms).toISOString().slice(5, 16)).join(' '),
  );

describe('the open times', () => {
  it('of a week are the hours of its days', () => {
    expect(shown(WORK, MONDAY_MS + 5 * DAY_MS - DAY_MS, MONDAY_MS + 8 * DAY_MS)).toEqual([
      '06-05T09:00 06-05T17:00',
      '06-08T09:00 06-08T17:00',
    ]);
  });

  it('begin and end within what was asked for', () => {
    const [from, to] = [MONDAY_MS + 10 * 3_600_000, MONDAY_MS + 11 * 3_600_000];
    expect(openSpans(WORK, from, to)).toEqual([{ fromMs: from, toMs: to }]);
    expect(openSpans(WORK, to, from)).toEqual([]);
  });

  it('go on across midnight', () => {
    const night = { ...WORK, startMin: 1_380, endMin: 59, days: 0b1 };
    expect(shown(night, MONDAY_MS, MONDAY_MS + 7 * DAY_MS)).toEqual(['06-01T23:00 06-02T01:00']);
  });

  it('are all without a window and none in an unknown zone or without a day', () => {
    const week = [MONDAY_MS, MONDAY_MS + 7 * DAY_MS] as const;
    expect(openSpans(null, ...week)).toEqual([{ fromMs: week[0], toMs: week[1] }]);
    expect(openSpans({ ...WORK, timezone: 'Mars/Olympus' }, ...week)).toEqual([]);
    expect(openSpans({ ...WORK, days: 0 }, ...week)).toEqual([]);
  });

  it('of more than 400 days are refused', () => {
    expect(() => openSpans(WORK, 0, 401 * DAY_MS)).toThrow(RangeError);
  });

  it('hold exactly the minutes in which a spend passes, across clock changes too', () => {
    const minute = fc.integer({ min: 0, max: 1_439 });
    const windows = fc.record({
      startMin: minute,
      endMin: minute,
      days: fc.integer({ min: 0, max: 127 }),
      timezone: fc.constantFrom('Europe/Berlin', 'Australia/Lord_Howe', 'America/Santiago'),
    });
    // Each of these zones changes its clock in the four days around one of these moments.
    const starts = fc.constantFrom(
      Date.UTC(2026, 2, 28),
      Date.UTC(2026, 3, 3),
      Date.UTC(2026, 8, 5),
      Date.UTC(2026, 9, 24),
    );
    fc.assert(
      fc.property(windows, starts, minute, (window, startMs, offset) => {
        const fromMs = startMs + offset * MINUTE_MS;
        const toMs = fromMs + 2 * DAY_MS;
        const spans = openSpans(window, fromMs, toMs);
        const minutes = Array.from({ length: 2 * 1_440 }, (_, i) => fromMs + i * MINUTE_MS);
        const inSpans = minutes.filter((atMs) =>
          spans.some((span) => span.fromMs <= atMs && atMs < span.toMs),
        );
        expect(inSpans).toEqual(minutes.filter((atMs) => isWithinWindow(window, atMs)));
      }),
      { numRuns: 20 },
    );
  });
});
