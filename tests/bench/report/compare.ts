import type { Line } from '../row.ts';
import { describeRounds, median, short } from './statistics.ts';

/** The bound of a target: at least or at most this value. */
export type Bound = { readonly atLeast: number } | { readonly atMost: number };

type Naming = Pick<Line, 'id' | 'what'> & { readonly unit: string };

/**
 * A line that compares ours with a reference of the same run. Both have one number for each round;
 * the result is the ratio of the medians. Throws when one of them has no result.
 */
export function compareRounds(
  { id, what, unit }: Naming,
  { ours, reference }: { readonly ours: readonly number[]; readonly reference: readonly number[] },
  bound: Bound,
): Line {
  const ratio = median(ours) / median(reference);
  if (!Number.isFinite(ratio)) throw new RangeError(`${id}: a side has no result`);
  return {
    id,
    what,
    ours: describeRounds(ours, unit),
    reference: describeRounds(reference, unit),
    result: `${short(ratio)} ×`,
    target: `${describeBound(bound)} ×`,
    verdict: verdictOf(ratio, bound),
    numbers: { unit, ours, reference, ratio },
  };
}

/** The same without a target. */
export function reportRounds(
  naming: Naming,
  rounds: { readonly ours: readonly number[]; readonly reference: readonly number[] },
): Line {
  const line = compareRounds(naming, rounds, { atLeast: 0 });
  return { ...line, target: '–', verdict: 'reported' };
}

/** A line that compares one number with a fixed bound; without a bound it is only reported. */
export function compareWithBound(
  { id, what, unit }: Naming,
  rounds: readonly number[],
  bound: Bound | null,
  reference = '–',
): Line {
  const value = median(rounds);
  return {
    id,
    what,
    ours: describeRounds(rounds, unit),
    reference,
    result: short(value),
    target: bound === null ? '–' : describeBound(bound),
    verdict: bound === null ? 'reported' : verdictOf(value, bound),
    numbers: { unit, ours: rounds },
  };
}

const describeBound = (bound: Bound): string =>
  'atLeast' in bound ? `≥ ${bound.atLeast}` : `≤ ${bound.atMost}`;

function verdictOf(value: number, bound: Bound): 'reached' | 'missed' {
  const isReached = 'atLeast' in bound ? value >= bound.atLeast : value <= bound.atMost;
  return isReached ? 'reached' : 'missed';
}
