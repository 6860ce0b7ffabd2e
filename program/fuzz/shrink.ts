import type { Step } from './step.ts';

/**
 * Removes steps while `isWrong` still holds for the rest: first long runs, then single steps.
 * Evaluates `isWrong` at most `maxEvaluations` times.
 */
export function shrink(
  steps: readonly Step[],
  isWrong: (steps: readonly Step[]) => boolean,
  maxEvaluations = 400,
): readonly Step[] {
  let left = steps;
  let evaluations = 0;
  let run = Math.ceil(left.length / 2);
  while (evaluations < maxEvaluations) {
    let shorter = false;
    for (let from = left.length - run; from > -run && evaluations < maxEvaluations; from -= run) {
      const rest = [...left.slice(0, Math.max(0, from)), ...left.slice(Math.max(0, from) + run)];
      if (rest.length === left.length) continue;
      evaluations += 1;
      if (!isWrong(rest)) continue;
      left = rest;
      shorter = true;
    }
    if (run === 1 && !shorter) break;
    run = Math.max(1, Math.floor(run / 2));
  }
  return left;
}
