import { expect, it } from 'vitest';
import { delayAfterTries } from './retry-schedule.ts';

const SECONDS = [5, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400];

it('tries ten times, over about three days', () => {
  const delays = Array.from({ length: 10 }, (_, i) => delayAfterTries(i + 1, 0));
  expect(delays).toEqual([...SECONDS.map((seconds) => seconds * 1_000), null]);
});

it('makes a delay up to a tenth longer', () => {
  expect(delayAfterTries(1, 0.5)).toBe(5_250);
  expect(delayAfterTries(1, 1)).toBe(5_500);
});
