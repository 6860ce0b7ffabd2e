import { buildMutant, type BuildPlace } from './build.ts';
import type { Mutant } from '../mutant.ts';
import { runProgramTests } from './run-program-tests.ts';

/**
 * Returns the names of the tests that fail on a mutant of the program. Throws when the mutant does
 * not build, or no test passes on it: it then does not run at all, and the failures prove nothing.
 */
export async function tryProgramMutant(
  mutant: Mutant,
  place: BuildPlace,
): Promise<readonly string[]> {
  const wallet = await buildMutant(mutant, place);
  const { passed, failed } = await runProgramTests({
    words: testFilesOf(mutant),
    wallet,
    signal: place.signal,
  });
  if (passed === 0) throw new Error(`no test passes on the mutant ${mutant.name}`);
  return failed;
}

/** Words of the names of the test files that have to notice the mutant. */
export const testFilesOf = ({ noticedBy }: Mutant): readonly string[] =>
  noticedBy.flatMap((proof) => (proof.startsWith('test ') ? [proof.slice('test '.length)] : []));
