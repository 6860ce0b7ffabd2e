/**
 * `npm run conformance`: every tested row of the interface on one running system. The last line is
 * `X/Y rows`: passed of tested rows. The exit code is 0 only if all of them pass and the register
 * is complete.
 *
 * `--write` also writes `docs/conformance.md`; `--row <words>` runs the tests whose rows have these
 * words in their id or sentence, and writes nothing.
 */
import { writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { startVitest } from 'vitest/node';
import { type Results, writeDocument } from './document.ts';
import { findFaults } from './find-faults.ts';
import { findTests } from './find-tests.ts';
import { register } from './register/index.ts';
import type { Row } from './register/row-class.ts';

const DOCUMENT = fileURLToPath(new URL('../../docs/conformance.md', import.meta.url));
const CONFIG = fileURLToPath(new URL('vitest.config.ts', import.meta.url));

const { values: options } = parseArgs({
  options: { write: { type: 'boolean', default: false }, row: { type: 'string' } },
});
process.exitCode = await main(options);

async function main({ write, row }: { write: boolean; row?: string | undefined }): Promise<number> {
  const tests = await findTests();
  const faults = findFaults(register, tests);
  for (const fault of faults) console.error(`WRONG: ${fault}`);
  if (faults.length > 0) return 1;
  const results = await runRows(row);
  if (write && row === undefined)
    await writeFile(DOCUMENT, writeDocument(register, tests, results));
  return report(results, row);
}

async function runRows(words: string | undefined): Promise<Results> {
  const vitest = await startVitest('test', [], {
    config: CONFIG,
    watch: false,
    ...(words === undefined ? {} : { testNamePattern: escaped(words) }),
  });
  const results = new Map<string, 'passed' | 'failed'>();
  for (const file of vitest.state.getTestModules()) {
    for (const test of file.children.allTests()) {
      const { state } = test.result();
      if (state === 'skipped') continue;
      // A row counts only when the test that shows it has run.
      const { rows = [] } = test.meta();
      for (const id of rows) results.set(id, state === 'passed' ? 'passed' : 'failed');
    }
  }
  await vitest.close();
  return results;
}

/** Prints the outcome and returns the exit code. A row that never ran has not passed. */
function report(results: Results, words: string | undefined): number {
  const rows = Object.values(register).flatMap((section) => Object.entries<Row>(section));
  const tested = rows
    .filter(([, row]) => row.class === 'tested')
    .filter(([id, { says }]) => words === undefined || `${id}: ${says}`.includes(words))
    .map(([id]) => id);
  const passed = tested.filter((id) => results.get(id) === 'passed');
  const failed = tested.filter((id) => results.get(id) !== 'passed');
  const count = (wanted: string): number => rows.filter(([, row]) => row.class === wanted).length;
  for (const id of failed) console.log(`${results.get(id) ?? 'not run'}: ${id}`);
  console.log(`${count('later')} later, ${count('not ours')} not ours: see docs/conformance.md`);
  console.log(`${passed.length}/${tested.length} rows`);
  // The runner sets it too, for what fails outside of a test.
  const runnerFailed = process.exitCode !== undefined && process.exitCode !== 0;
  return failed.length > 0 || passed.length === 0 || runnerFailed ? 1 : 0;
}

function escaped(words: string): string {
  return words.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
}
