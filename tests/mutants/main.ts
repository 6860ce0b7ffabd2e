/**
 * `npm run program:mutants`: each mutant of the wallet program is built in turn, and the tests must
 * notice it. `-- <words>` selects the mutants whose name contains the words.
 *
 * Exit code 0: each was noticed, or Rust is missing. 1: one was not noticed. 2: one could not be
 * tried.
 */
import { whyNotBuilt } from './build.ts';
import { programMutants } from './mutants.ts';
import { tryProgramMutant } from './try-program-mutant.ts';

const TESTS_SHOWN = 2;

async function main([words = '']: readonly string[]): Promise<number> {
  const reason = await whyNotBuilt();
  if (reason !== null) {
    console.log(`SKIPPED: ${reason}`);
    return 0;
  }
  const chosen = programMutants.filter(({ name }) => name.includes(words));
  if (chosen.length === 0) throw new Error(`There is no mutant ${words} of the program.`);
  const startedMs = performance.now();
  let noticed = 0;
  let untried = 0;
  for (const mutant of chosen) {
    try {
      const failed = await tryProgramMutant(mutant);
      noticed += failed.length === 0 ? 0 : 1;
      console.log(`mutant ${mutant.name}: ${summaryOf(failed)}`);
    } catch (error) {
      untried += 1;
      console.log(`COULD NOT BE TRIED: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
  const seconds = ((performance.now() - startedMs) / 1_000).toFixed(0);
  console.log(`\n${noticed} of ${chosen.length} mutants noticed in ${seconds} s`);
  if (untried > 0) return 2;
  return noticed === chosen.length ? 0 : 1;
}

function summaryOf(failed: readonly string[]): string {
  if (failed.length === 0) return 'NOT NOTICED';
  const rest = failed.length > TESTS_SHOWN ? ` and ${failed.length - TESTS_SHOWN} more` : '';
  return `${failed.slice(0, TESTS_SHOWN).join('; ')}${rest}`;
}

try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  console.error(error);
  process.exitCode = 2;
}
