import {
  applySpend,
  countedBuckets,
  countedSpend,
  emptySpendWindow,
  resetsAt,
} from '@agent-wallet/policy';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { capCurve } from './cap-curve.ts';

const HOUR = 3_600;
const NOON = 500_000 * HOUR;

describe('the curve of a cap', () => {
  it('rises with each hour of spends and falls 25 hours later', () => {
    const spent = [
      { hour: NOON - 3 * HOUR, amount: 30n },
      { hour: NOON, amount: 70n },
    ];
    const curve = capCurve({ daily_cap: 120n, daily_spent_by_hour: spent }, NOON + 1_234);
    expect(curve).toEqual({
      fromSeconds: NOON - 24 * HOUR,
      nowSeconds: NOON + 1_234,
      toSeconds: NOON + 25 * HOUR,
      cap: 120n,
      counted: 100n,
      remaining: 20n,
      hours: [
        {
          startSeconds: NOON - 3 * HOUR,
          amount: 30n,
          freeAtSeconds: NOON + 22 * HOUR,
          countedAfter: 70n,
        },
        { startSeconds: NOON, amount: 70n, freeAtSeconds: NOON + 25 * HOUR, countedAfter: 0n },
      ],
      steps: [
        { atSeconds: NOON - 24 * HOUR, counted: 0n },
        { atSeconds: NOON - 3 * HOUR, counted: 30n },
        { atSeconds: NOON, counted: 100n },
        { atSeconds: NOON + 22 * HOUR, counted: 70n },
        { atSeconds: NOON + 25 * HOUR, counted: 0n },
      ],
    });
  });

  it('has no room when the cap was lowered below what counts', () => {
    const spent = [{ hour: NOON, amount: 70n }];
    expect(capCurve({ daily_cap: 50n, daily_spent_by_hour: spent }, NOON).remaining).toBe(0n);
  });

  it('shows at every later moment what the program would count', () => {
    const spends = fc.array(
      fc.tuple(fc.integer({ min: 0, max: 60 * HOUR }), fc.bigInt({ min: 1n, max: 100n })),
      { maxLength: 12 },
    );
    const moments = fc.integer({ min: 0, max: 30 * HOUR });
    fc.assert(
      fc.property(spends, moments, (made, after) => {
        const window = made
          .toSorted(([a], [b]) => b - a)
          .reduce(
            (before, [ago, amount]) => applySpend(before, BigInt(NOON - ago), amount),
            emptySpendWindow(),
          );
        const daily_spent_by_hour = countedBuckets(window, BigInt(NOON)).map((bucket) => ({
          hour: Number(bucket.startSeconds),
          amount: bucket.amount,
        }));
        const curve = capCurve({ daily_cap: 1n, daily_spent_by_hour }, NOON);
        expect(curve.counted).toBe(countedSpend(window, BigInt(NOON)));
        const first = curve.hours[0]?.freeAtSeconds;
        expect(first === undefined ? null : BigInt(first)).toBe(resetsAt(window, BigInt(NOON)));
        const shown = curve.steps.findLast(({ atSeconds }) => atSeconds <= NOON + after);
        expect(shown?.counted).toBe(countedSpend(window, BigInt(NOON + after)));
      }),
    );
  });
});
