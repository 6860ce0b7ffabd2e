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
  const unnoticed: string[] = [];
  for (const mutant of chosen) {
    const failed = await tryMutant(mutant);
    if (failed.length === 0) unnoticed.push(mutant.name);
    console.log(`without ${mutant.name}: ${told(failed)}`);
  }
  const seconds = ((performance.now() - startedMs) / 1_000).toFixed(0);
  const noticed = chosen.length - unnoticed.length;
  console.log(`\n${noticed} of ${chosen.length} removed checks noticed in ${seconds} s`);
  return unnoticed.length === 0 ? 0 : 1;
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
