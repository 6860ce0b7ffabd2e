/**
 * `npm run bench`: measures each row beside its reference and prints the table of
 * docs/performance.md. `--row=<id>` runs single rows, `--quick` smaller loads.
 *
 * Exit code 1: money or counts disagree, a row could not be run, or a row misses its target and
 * docs/performance.md has no entry with its measured reason.
 */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runCommand } from '@agent-wallet/local-system/process/run-command.ts';
import { StartError } from '@agent-wallet/local-system/system/start-error.ts';
import { findUnexplained, replaceResult } from './report/document.ts';
import { describeMachine, readMachine } from './report/machine.ts';
import { tableOf } from './report/table.ts';
import type { Line, Row } from './row.ts';
import { ROWS } from './rows/all.ts';
import { readSettings, type Settings } from './settings.ts';
import { createBench, type Bench } from './stage/bench.ts';
import { limitTime } from './time-limit.ts';

const DOCUMENT = fileURLToPath(new URL('../../docs/performance.md', import.meta.url));

await runCommand(async () => {
  const settings = readSettings(process.argv.slice(2));
  const rows = chooseRows(settings);
  const machine = readMachine();
  console.log(describeMachine(machine));
  const startedMs = performance.now();
  const lines = await runAll(rows, settings);
  const minutes = (performance.now() - startedMs) / 60_000;
  console.log(`\n${tableOf(lines)}\n\n${minutes.toFixed(1)} minutes`);
  await mkdir(dirname(settings.out), { recursive: true });
  await writeFile(settings.out, `${JSON.stringify({ machine, lines }, null, 2)}\n`);
  console.log(`numbers of each round: ${settings.out}`);
  const document = await readFile(DOCUMENT, 'utf8');
  if (settings.writesDocs) {
    const result = `${describeMachine(machine)}.\n\n${tableOf(lines)}`;
    await writeFile(DOCUMENT, replaceResult(document, result));
  }
  for (const id of findUnexplained(document, lines)) {
    console.error(`${id} misses its target, and docs/performance.md does not say why`);
    process.exitCode = 1;
  }
});

function chooseRows({ only }: Settings): readonly Row[] {
  const unknown = only.filter((id) => !ROWS.some((row) => namesOf(row).includes(id)));
  if (unknown.length > 0) {
    throw new StartError(
      `There is no row ${unknown.join(', ')}; rows: ${ROWS.flatMap(namesOf).join(', ')}.`,
    );
  }
  return ROWS.filter((row) => only.length === 0 || namesOf(row).some((id) => only.includes(id)));
}

function namesOf(row: Row): readonly string[] {
  return [row.id, ...row.lines];
}

/** A row that fails does not stop the others. */
async function runAll(rows: readonly Row[], settings: Settings): Promise<readonly Line[]> {
  using limit = limitTime(process.env);
  await using bench = createBench(settings);
  const lines: Line[] = [];
  for (const row of rows) {
    limit.at(row.id);
    try {
      lines.push(...(await runRow(row, bench)));
    } catch (error) {
      console.error(`row ${row.id} could not be run:`, error);
      process.exitCode = 1;
    }
  }
  const stage = await bench.opened();
  for (const sentence of (await stage?.findDisagreements()) ?? []) bench.wrong(sentence);
  return lines;
}

/** Fails when the row exceeds its time. Its work may go on until its stage is closed. */
async function runRow(row: Row, bench: Bench): Promise<readonly Line[]> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(
    () => late.reject(new Error(`not done after ${row.limitMinutes} minutes`)),
    row.limitMinutes * 60_000,
  );
  try {
    return await Promise.race([row.run(bench), late.promise]);
  } finally {
    clearTimeout(timer);
  }
}
