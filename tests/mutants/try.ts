import { buildMutant } from './build-mutant.ts';
import type { Mutant } from './mutant.ts';
import { runProgramTests } from './run-program-tests.ts';

/**
 * The tests that fail on the wallet without one check.
 *
 * @throws when it could not be built, or no test passes on it: then it does not run at all, and the
 * failures say nothing about the check
 */
export async function tryMutant(mutant: Mutant): Promise<readonly string[]> {
  const wallet = await buildMutant(mutant);
  const { passed, failed } = await runProgramTests({ words: mutant.noticedBy, wallet });
  if (passed === 0) throw new Error(`nothing works without ${mutant.name}`);
  return failed;
}
