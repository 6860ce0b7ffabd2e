import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import {
  applySpend,
  countedSpend,
  emptySpendWindow,
  fitsAt,
  resetsAt,
  windowStart,
  type SpendWindow,
} from './spend-window.ts';

const HOUR = 3_600n;
const DAY = 86_400n;
const NOON = 500_000n * HOUR;

const spentAt = (...spends: readonly (readonly [bigint, bigint])[]): SpendWindow =>
  spends.reduce((window, [now, amount]) => applySpend(window, now, amount), emptySpendWindow());

describe('the rolling window', () => {
  it.each([
    ['at once', 0n, 5n],
    ['in the last second of the day', DAY - 1n, 5n],
    ['exactly 24 hours later', DAY, 5n],
    ['in the last second in which its bucket is partly covered', DAY + HOUR - 1n, 5n],
    ['when its bucket has ended 24 hours ago', DAY + HOUR, 0n],
  ])('counts a spend on the hour %s', (_when, later, expected) => {
    expect(countedSpend(spentAt([NOON, 5n]), NOON + later)).toBe(expected);
  });

  it('counts all buckets when the clock has gone back', () => {
    const window = spentAt([NOON, 5n], [NOON + DAY, 7n]);
    expect(countedSpend(window, NOON)).toBe(12n);
    expect(applySpend(window, NOON, 1n).lastSeen).toBe(NOON + DAY);
  });

  it('is empty after a pause longer than the ring', () => {
    const window = spentAt([NOON, 5n], [NOON + 40n * DAY, 7n]);
    expect(window.buckets.reduce((a, b) => a + b)).toBe(7n);
  });

  it('returns its start and when the oldest bucket drops out', () => {
    const window = spentAt([NOON + 10n, 5n], [NOON + HOUR, 7n]);
    expect(windowStart(window, NOON + 2n * HOUR)).toBe(NOON);
    expect(resetsAt(window, NOON + 2n * HOUR)).toBe(NOON + 25n * HOUR);
    expect(resetsAt(emptySpendWindow(), NOON)).toBeNull();
    expect(windowStart(emptySpendWindow(), NOON)).toBe(NOON - DAY);
  });

  it.each([
    ['fits now', 3n, NOON + 2n * HOUR],
    ['fits when the first bucket is gone', 8n, NOON + 25n * HOUR],
    ['fits when both are gone', 15n, NOON + 26n * HOUR],
    ['never fits above the cap', 16n, null],
  ])('returns when an amount %s', (_case, amount, expected) => {
    const window = spentAt([NOON + 10n, 5n], [NOON + HOUR, 7n]);
    expect(fitsAt(window, NOON + 2n * HOUR, amount, 15n)).toBe(expected);
  });

  it('refuses a time before 1970', () => {
    expect(() => countedSpend(emptySpendWindow(), -1n)).toThrow(RangeError);
  });
});

describe('the rolling window against an exact log', () => {
  const steps = fc.array(
    fc.record({
      waitSeconds: fc.oneof(
        fc.bigInt({ min: 0n, max: 2n * HOUR }),
        fc.bigInt({ min: -HOUR, max: 3n * DAY }),
        fc.constantFrom(0n, HOUR, DAY, DAY - 1n, DAY + HOUR),
      ),
      amount: fc.bigInt({ min: 1n, max: 60n }),
    }),
    { minLength: 1, maxLength: 120 },
  );
  const CAP = 100n;

  it('never allows more than the cap in any 24 hours and is at most an hour too strict', () => {
    fc.assert(
      fc.property(steps, (taken) => {
        let window = emptySpendWindow();
        let clock = NOON;
        const log: { at: bigint; amount: bigint }[] = [];
        const within = (now: bigint, seconds: bigint): bigint =>
          log.filter(({ at }) => at > now - seconds).reduce((sum, { amount }) => sum + amount, 0n);
        for (const { waitSeconds, amount } of taken) {
          clock += waitSeconds;
          const now = clock > window.lastSeen ? clock : window.lastSeen;
          const counted = countedSpend(window, clock);
          expect(counted).toBeGreaterThanOrEqual(within(now, DAY));
          expect(counted).toBeLessThanOrEqual(within(now, DAY + HOUR));
          if (counted + amount > CAP) continue;
          window = applySpend(window, clock, amount);
          log.push({ at: now, amount });
        }
      }),
    );
  });

  it('returns exactly when an amount fits: not a second before, and then it does', () => {
    fc.assert(
      fc.property(steps, fc.bigInt({ min: 1n, max: CAP }), (taken, amount) => {
        let window = emptySpendWindow();
        let clock = NOON;
        for (const step of taken) {
          clock += step.waitSeconds > 0n ? step.waitSeconds : 0n;
          if (countedSpend(window, clock) + step.amount > CAP) continue;
          window = applySpend(window, clock, step.amount);
        }
        const at = fitsAt(window, clock, amount, CAP);
        if (at === null) throw new Error('an amount below the cap fits some day');
        expect(countedSpend(window, at) + amount).toBeLessThanOrEqual(CAP);
        const fitsBefore = at > clock && countedSpend(window, at - 1n) + amount <= CAP;
        expect(fitsBefore).toBe(false);
      }),
    );
  });
});
