/**
 * `npm run program:mutants`: the wallet is built without each of its checks in turn, and the tests
 * must notice. `-- <words>` tries only those whose name holds the words.
 *
 * Ends with 0 when each was noticed or Rust is missing, with 1 when one was not, with 2 when one
 * could not be tried.
 */
import { whyNotBuilt } from './build-mutant.ts';
import { mutants } from './mutants.ts';
import { tryMutant } from './try-mutant.ts';

const SOME = 2;

async function main([words = '']: readonly string[]): Promise<number> {
  const reason = await whyNotBuilt();
  if (reason !== null) {
    console.log(`SKIPPED: ${reason}`);
    return 0;
  }
  const chosen = mutants.filter(({ name }) => name.includes(words));
  if (chosen.length === 0) throw new Error(`No check is called ${words}.`);
  const startedMs = performance.now();
  let noticed = 0;
  let untried = 0;
  for (const mutant of chosen) {
    try {
      const failed = await tryMutant(mutant);
      noticed += failed.length === 0 ? 0 : 1;
      console.log(`without ${mutant.name}: ${told(failed)}`);
    } catch (error) {
      untried += 1;
      console.log(`COULD NOT BE TRIED: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
  const seconds = ((performance.now() - startedMs) / 1_000).toFixed(0);
  console.log(`\n${noticed} of ${chosen.length} removed checks noticed in ${seconds} s`);
  if (untried > 0) return 2;
  return noticed === chosen.length ? 0 : 1;
}

function told(failed: readonly string[]): string {
  if (failed.length === 0) return 'NOTHING NOTICED';
  const rest = failed.length > SOME ? ` and ${failed.length - SOME} more` : '';
  return `${failed.slice(0, SOME).join('; ')}${rest}`;
}

try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  console.error(error);
  process.exitCode = 2;
}
