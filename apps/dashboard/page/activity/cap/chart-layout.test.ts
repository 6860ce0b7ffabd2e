import { describe, expect, it } from 'vitest';

import { capCurve } from './cap-curve.ts';
import { layoutChart } from './chart-layout.ts';

const HOUR = 3_600;
const NOON = 500_000 * HOUR;
const NOW = NOON + 1_800;

const layout = (
  hours: readonly (readonly [ago: number, amount: bigint])[],
  cap = 100n,
  width = 516,
) =>
  layoutChart(
    capCurve(
      {
        daily_cap: cap,
        daily_spent_by_hour: hours.map(([ago, amount]) => ({ hour: NOON - ago * HOUR, amount })),
      },
      NOW,
    ),
    width,
    200,
  );

/** The corners of a path: where it begins, and the end of each of its steps. */
const cornersOf = (path: string): readonly (readonly [number, number])[] => {
  const [begin = '', ...steps] = path.replace('M', '').split('H');
  const [x = '', y = ''] = begin.split(' ');
  return [[x, y] as const, ...steps.map((step) => step.split('V'))].map(([a = '', b = '']) => [
    Number(a),
    Number(b),
  ]);
};

/** The seconds between two ticks. */
const gaps = (width: number) => {
  const { ticks } = layout([[2, 50n]], 100n, width);
  return ticks.slice(1).map(({ seconds }, i) => seconds - (ticks[i]?.seconds ?? 0));
};

describe('the chart', () => {
  it('draws a curve from one edge to the other that meets itself at now', () => {
    const { past, future, left, right, nowX, bottom } = layout([
      [10, 30n],
      [2, 50n],
    ]);
    const [before, after] = [cornersOf(past), cornersOf(future)];
    expect(before[0]).toEqual([left, bottom]);
    expect(before.at(-1)?.[0]).toBe(nowX);
    expect(after[0]).toEqual(before.at(-1));
    expect(after.at(-1)?.[0]).toBe(right);
    const xs = [...before, ...after].map(([x]) => x);
    expect(xs).toEqual(xs.toSorted((a, b) => a - b));
    // Half an hour past noon, in a chart from 24 hours before noon to 25 after it.
    expect(nowX).toBeCloseTo(left + (24.5 / 49) * (right - left), 0);
  });

  it('keeps amounts in proportion to the cap', () => {
    const { past, capY, bottom } = layout([[2, 50n]]);
    const height = bottom - (cornersOf(past).at(-1)?.[1] ?? Number.NaN);
    expect(height * 2).toBeCloseTo(bottom - capY, 0);
  });

  it('has room for more than the cap, and for the largest amounts', () => {
    const above = layout([[2, 150n]]);
    expect(above.capY).toBeGreaterThan(cornersOf(above.past).at(-1)?.[1] ?? Number.NaN);
    expect(cornersOf(above.past).at(-1)?.[1]).toBeGreaterThanOrEqual(above.top);
    const most = 2n ** 64n - 1n;
    const full = layout([[2, most]], most);
    expect(cornersOf(full.past).at(-1)?.[1]).toBe(full.capY);
  });

  it('names fewer hours where there is less room', () => {
    expect(new Set(gaps(1_100))).toEqual(new Set([6 * HOUR]));
    expect(new Set(gaps(320))).toEqual(new Set([12 * HOUR]));
  });
});
