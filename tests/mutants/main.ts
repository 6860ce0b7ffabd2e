/**
 * `npm run program:mutants`: each mutant of the wallet program is built, and the tests must notice
 * it. A test that fails without any mutant proves nothing and is left out.
 *
 * `-- <words>` selects the mutants whose name contains the words; `--from=<name>` begins with that
 * one; `--at-once=<number>` builds and tests so many at a time, by default as many as there are
 * cores. Ctrl-C ends the run and prints what is known.
 *
 * Exit code 0: each was noticed, or Rust is missing. 1: one was not noticed. 2: one could not be
 * tried, or a test fails without a mutant.
 */
import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { listenForStop } from '@agent-wallet/local-system/process/stop-listener.ts';
import { z } from 'zod';
import { whyNotBuilt } from './trial/build.ts';
import type { Mutant } from './mutant.ts';
import { programMutants } from './mutants.ts';
import { runProgramTests } from './trial/run-program-tests.ts';
import { describeResults } from './trial/table.ts';
import { testFilesOf, tryProgramMutant } from './trial/try-program-mutant.ts';
import { exitCodeOf, type Progress, type Result, tryAll } from './trial/try-all.ts';

const FAILED = 2;
const NAMES_SHOWN = 20;

const settingsSchema = z.object({
  words: z.string(),
  from: z.string().optional(),
  atOnce: z.coerce.number().int().min(1),
});

async function main(): Promise<number> {
  const { words, from, atOnce } = readSettings();
  const reason = await whyNotBuilt();
  if (reason !== null) {
    console.log(`SKIPPED: ${reason}`);
    return 0;
  }
  const chosen = choose(words, from);
  const stop = listenForStop();
  stop.begun();
  const startedMs = performance.now();
  const failing = await testsThatFailAnyway(chosen, stop.signal);
  const results = await tryAll(chosen, {
    copies: Array.from({ length: Math.min(atOnce, chosen.length) }, (_, place) => `copy-${place}`),
    tryOne: async (mutant, copy) => {
      const failed = await tryProgramMutant(mutant, { copy, signal: stop.signal });
      return failed.filter((name) => !failing.has(name));
    },
    tell,
    nowMs: () => performance.now(),
    signal: stop.signal,
  });
  const minutes = ((performance.now() - startedMs) / 60_000).toFixed(1);
  console.log(`\n${describeResults(results)}\n\n${minutes} minutes, ${atOnce} at once`);
  return failing.size > 0 ? FAILED : exitCodeOf(results);
}

function readSettings(): z.infer<typeof settingsSchema> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { from: { type: 'string' }, 'at-once': { type: 'string' } },
  });
  return settingsSchema.parse({
    words: positionals.join(' '),
    from: values.from,
    atOnce: values['at-once'] ?? availableParallelism(),
  });
}

function choose(words: string, from: string | undefined): readonly Mutant[] {
  const first = from === undefined ? 0 : programMutants.findIndex(({ name }) => name === from);
  if (first === -1) throw new Error(`There is no mutant ${from} of the program.`);
  const chosen = programMutants.slice(first).filter(({ name }) => name.includes(words));
  if (chosen.length === 0) throw new Error(`There is no mutant ${words} of the program.`);
  return chosen;
}

/** Prints and returns the names of the tests that fail on the committed program. */
async function testsThatFailAnyway(
  chosen: readonly Mutant[],
  signal: AbortSignal,
): Promise<ReadonlySet<string>> {
  const words = [...new Set(chosen.flatMap(testFilesOf))];
  const { passed, failed } = await runProgramTests({ words, signal });
  console.log(`without a mutant: ${passed} tests pass, ${failed.length} fail`);
  for (const name of failed.slice(0, NAMES_SHOWN)) console.log(`  LEFT OUT: ${name}`);
  if (failed.length > NAMES_SHOWN) console.log(`  and ${failed.length - NAMES_SHOWN} more`);
  return new Set(failed);
}

function tell({ mutant, kind, detail }: Result, { done, of, leftMs }: Progress): void {
  const what = kind === 'noticed' ? detail : `${kind.toUpperCase()} ${detail}`.trim();
  const left = done === of ? '' : ` (about ${(leftMs / 60_000).toFixed(1)} minutes left)`;
  console.log(`${done} of ${of}: mutant ${mutant.name}: ${what}${left}`);
}

try {
  process.exitCode = await main();
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = FAILED;
}
