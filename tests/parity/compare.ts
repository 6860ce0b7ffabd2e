import { isDeepStrictEqual } from 'node:util';
import type { Json } from './symbols.ts';
import type { Transcript } from './talk.ts';

/** A field on which two chains differ. Undefined: it is missing there. */
export type Difference = {
  readonly step: string;
  /** The way to the field, such as `result.value.0.err`; empty for the whole answer. */
  readonly path: string;
  readonly reference: Json | undefined;
  readonly ours: Json | undefined;
};

/** A difference that is right, and what our chain must show there. */
export type AllowedDifference = {
  /** The steps where it occurs. */
  readonly steps: RegExp;
  /** The fields where it occurs. */
  readonly paths: RegExp;
  /** The condition on our value. */
  readonly ours: (value: Json | undefined) => boolean;
  /**
   * How many differences it covers. Without this, one of several that has become equal to Surfnet's
   * would go unnoticed. Absent: at least one, where the number depends on time.
   */
  readonly times?: number;
  /** Why ours is right. */
  readonly because: string;
};

/** Every field on which the transcripts differ, by step. */
export function compareTranscripts(reference: Transcript, ours: Transcript): Difference[] {
  const steps = new Set([...reference.keys(), ...ours.keys()]);
  return [...steps].flatMap((step) =>
    compareValues(reference.get(step), ours.get(step)).map((one) => ({ step, ...one })),
  );
}

type FieldDifference = Omit<Difference, 'step'>;

function compareValues(
  reference: Json | undefined,
  ours: Json | undefined,
  path = '',
): FieldDifference[] {
  if (isDeepStrictEqual(reference, ours)) return [];
  const left = fieldsOf(reference);
  const right = fieldsOf(ours);
  if (left === null || right === null) return [{ path, reference, ours }];
  const keys = new Set([...left.keys(), ...right.keys()]);
  return [...keys].flatMap((key) =>
    compareValues(left.get(key), right.get(key), path === '' ? key : `${path}.${key}`),
  );
}

function fieldsOf(value: Json | undefined): Map<string, Json> | null {
  return typeof value === 'object' && value !== null ? new Map(Object.entries(value)) : null;
}

/** The differences that nothing allows, and the allowances that cover too few or too many. */
export function judgeDifferences(
  differences: readonly Difference[],
  allowed: readonly AllowedDifference[],
): { readonly unexpected: Difference[]; readonly miscounted: string[] } {
  const covered = new Map<AllowedDifference, number>();
  const unexpected = differences.filter((difference) => {
    const found = allowed.find((one) => isAllowed(difference, one));
    if (found !== undefined) covered.set(found, (covered.get(found) ?? 0) + 1);
    return found === undefined;
  });
  const miscounted = allowed.flatMap((one) => {
    const count = covered.get(one) ?? 0;
    const isRight = one.times === undefined ? count > 0 : count === one.times;
    return isRight ? [] : [`${String(one.steps)} ${String(one.paths)}: ${count}`];
  });
  return { unexpected, miscounted };
}

const isAllowed = (difference: Difference, allowed: AllowedDifference): boolean =>
  allowed.steps.test(difference.step) &&
  allowed.paths.test(difference.path) &&
  allowed.ours(difference.ours);
