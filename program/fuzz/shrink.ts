import type { Step } from './step.ts';

/**
 * Leaves steps out as long as `isWrong` still holds of the rest: first long runs of them, then
 * single ones.
 *
 * @param most how often `isWrong` may be asked
 */
export function shrink(
  steps: readonly Step[],
  isWrong: (steps: readonly Step[]) => boolean,
  most = 400,
): readonly Step[] {
  let left = steps;
  let asked = 0;
  let run = Math.ceil(left.length / 2);
  while (asked < most) {
    let shorter = false;
    for (let from = left.length - run; from > -run && asked < most; from -= run) {
      const rest = [...left.slice(0, Math.max(0, from)), ...left.slice(Math.max(0, from) + run)];
      if (rest.length === left.length) continue;
      asked += 1;
      if (!isWrong(rest)) continue;
      left = rest;
      shorter = true;
    }
    if (run === 1 && !shorter) break;
    run = Math.max(1, Math.floor(run / 2));
  }
  return left;
}
