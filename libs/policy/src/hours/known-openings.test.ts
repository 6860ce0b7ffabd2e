import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { createOpensAt } from './known-openings.ts';
import { opensAt, type TimeWindow } from './time-window.ts';

const minute = fc.integer({ min: 0, max: 1_439 });
const someWindow: fc.Arbitrary<TimeWindow | null> = fc.option(
  fc.record({
    startMin: minute,
    endMin: minute,
    days: fc.integer({ min: 0, max: 0b1111111 }),
    timezone: fc.constantFrom('UTC', 'Europe/Berlin', 'Mars/Olympus'),
  }),
  { freq: 10 },
);
const HOUR_MS = 3_600_000;
/** Within the three weeks around a clock change in Berlin. */
const someMoment = fc
  .integer({ min: 0, max: 21 * 24 })
  .map((hours) => Date.UTC(2026, 2, 18) + hours * HOUR_MS);

it('returns what a new search returns, in whatever order it is asked', () => {
  const windows = fc.array(someWindow, { minLength: 1, maxLength: 3 });
  const questions = fc.array(fc.tuple(fc.nat(2), someMoment), { minLength: 2, maxLength: 20 });
  fc.assert(
    fc.property(windows, questions, (known, asked) => {
      const remembered = createOpensAt();
      for (const [place, atMs] of asked) {
        const window = known[place % known.length] ?? null;
        expect(remembered(window, atMs)).toBe(opensAt(window, atMs));
      }
    }),
  );
});
