import { expect, it } from 'vitest';
import { shrink } from '../fuzz/shrink.ts';
import type { Step } from '../fuzz/step.ts';

const clocks = (...numbers: readonly number[]): readonly Step[] =>
  numbers.map((number) => ({ do: 'clock', to: BigInt(number) }));
const numbersOf = (steps: readonly Step[]): readonly number[] =>
  steps.map((step) => (step.do === 'clock' ? Number(step.to) : -1));

it('keeps the steps that the finding needs, in order', () => {
  const all = clocks(...Array.from({ length: 100 }, (_, place) => place));
  const isWrong = (steps: readonly Step[]): boolean =>
    numbersOf(steps).filter((number) => [3, 40, 97].includes(number)).length === 3;
  expect(numbersOf(shrink(all, isWrong))).toEqual([3, 40, 97]);
});

it('stops at the limit of runs with steps that still fail', () => {
  let runs = 0;
  const left = shrink(
    clocks(1, 2, 3, 4, 5, 6, 7, 8),
    (steps) => {
      runs += 1;
      return numbersOf(steps).includes(5);
    },
    3,
  );
  expect(runs).toBe(3);
  expect(numbersOf(left)).toContain(5);
});
