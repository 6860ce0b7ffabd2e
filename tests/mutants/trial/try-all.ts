import type { Mutant } from '../mutant.ts';

/** What became of one mutant. `detail`: the tests that failed, or why it could not be tried. */
export interface Result {
  readonly mutant: Mutant;
  readonly kind: 'noticed' | 'not noticed' | 'not tried';
  readonly detail: string;
}

export interface Progress {
  readonly done: number;
  readonly of: number;
  /** Estimate of the time that the rest takes. */
  readonly leftMs: number;
}

const TESTS_SHOWN = 2;

/**
 * Tries mutants, one in each copy of the program at a time, and tells each result as it comes. A
 * mutant that cannot be tried does not stop the others. After an abort of `signal` the rest are not
 * tried. Returns the results in the order of `mutants`.
 */
export async function tryAll(
  mutants: readonly Mutant[],
  options: {
    /** Names of the copies. */
    readonly copies: readonly string[];
    /** Returns the names of the tests that fail on the mutant. */
    readonly tryOne: (mutant: Mutant, copy: string) => Promise<readonly string[]>;
    readonly tell: (result: Result, progress: Progress) => void;
    readonly nowMs: () => number;
    readonly signal: AbortSignal;
  },
): Promise<readonly Result[]> {
  const { copies, tryOne, tell, nowMs, signal } = options;
  const startedMs = nowMs();
  const results = new Map<Mutant, Result>();
  const left = mutants.values();
  const tryOnAndOn = async (copy: string): Promise<void> => {
    for (const mutant of left) {
      const result = await resultOf(mutant, () => tryOne(mutant, copy));
      if (signal.aborted) return;
      results.set(mutant, result);
      const done = results.size;
      const leftMs = ((nowMs() - startedMs) / done) * (mutants.length - done);
      tell(result, { done, of: mutants.length, leftMs });
    }
  };
  await Promise.all(copies.map(tryOnAndOn));
  return mutants.map(
    (mutant) => results.get(mutant) ?? { mutant, kind: 'not tried', detail: 'interrupted' },
  );
}

async function resultOf(mutant: Mutant, tryIt: () => Promise<readonly string[]>): Promise<Result> {
  try {
    const failed = await tryIt();
    const more = failed.length > TESTS_SHOWN ? ` and ${failed.length - TESTS_SHOWN} more` : '';
    const detail = `${failed.slice(0, TESTS_SHOWN).join('; ')}${more}`;
    return { mutant, kind: failed.length > 0 ? 'noticed' : 'not noticed', detail };
  } catch (error) {
    const detail = error instanceof Error ? error.message : String(error);
    return { mutant, kind: 'not tried', detail };
  }
}

/** 0: each was noticed. 1: one was not noticed. 2: one could not be tried. */
export function exitCodeOf(results: readonly Result[]): 0 | 1 | 2 {
  if (results.some(({ kind }) => kind === 'not tried')) return 2;
  return results.some(({ kind }) => kind === 'not noticed') ? 1 : 0;
}
