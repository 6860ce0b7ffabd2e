/**
 * `npm run chaos`: runs every kind of fault in a world of its own, two of them under load at a time
 * while a third starts or comes to rest, then prints a table.
 *
 * Exit code 0: nothing was found. 1: something was found. 2: a mutant was not noticed, or a row
 * could not be run.
 */
import { hasRedisServer, type RedisServer, startRedis } from '../support/queue/redis-server.ts';
import { mutantsNoticedBy } from '../mutants/mutants.ts';
import type { Row } from './row.ts';
import { createRows } from './rows.ts';
import { type RowResult, runRow } from './run-row.ts';
import { createSchedule, type Schedule, type Turn } from './schedule.ts';
import { readSettings, type Settings } from './settings.ts';
import { describeFindings, tableOf, isClean } from './table.ts';

const WORLDS_AT_ONCE = 3;
const DRIVEN_AT_ONCE = 2;
const MUTANT_DRIVE_SECONDS = 40;
const MUTANT_REST_MS = 30_000;
const AGENTS_AT_ONCE = 64;
const CAST = { wallets: 3, sessionsEach: 8 } as const;

const NOTHING_FOUND = 0;
const FOUND = 1;
const FAILED = 2;

type Outcome = { readonly results: readonly RowResult[]; readonly failures: number };

async function main(): Promise<number> {
  const settings = readSettings(process.argv.slice(2), process.env);
  const rows = chooseRows(settings);
  if (rows.length === 0) throw new Error(`No row is called ${settings.row}.`);
  if (settings.queue === 'redis' && !hasRedisServer()) {
    console.log('skipped: chaos on Redis, because there is no redis-server on PATH');
    return NOTHING_FOUND;
  }
  console.log(`seed ${settings.seed}, ${rows.length} rows, about ${settings.minutes} minutes`);
  const startedMs = performance.now();
  const { results, failures } = await runAll(rows, settings);
  const minutes = (performance.now() - startedMs) / 60_000;
  console.log(`\n${tableOf(results)}\n\nseed ${settings.seed}, ${minutes.toFixed(1)} minutes`);
  if (failures > 0) return FAILED;
  const isAllClean = results.every(isClean);
  if (settings.mutant === null) return isAllClean ? NOTHING_FOUND : FOUND;
  console.log(`the mutant ${settings.mutant} was ${isAllClean ? 'NOT ' : ''}noticed`);
  return isAllClean ? FAILED : FOUND;
}

function chooseRows({ mutant, aboutQueue, row }: Settings): readonly Row[] {
  return createRows()
    .filter(({ name }) => name.includes(row))
    .filter(({ name }) => mutant === null || mutantsNoticedBy(`row ${name}`).includes(mutant))
    .filter(({ isAboutTheQueue }) => !aboutQueue || isAboutTheQueue === true);
}

/** Runs several worlds at a time. A row that fails to run does not stop the others. */
async function runAll(rows: readonly Row[], settings: Settings): Promise<Outcome> {
  const schedule = createSchedule(rows, {
    minutes: settings.minutes,
    drivenAtOnce: DRIVEN_AT_ONCE,
    now: () => performance.now(),
  });
  const results = new Map<string, RowResult>();
  let failures = 0;
  const runOnAndOn = async (): Promise<void> => {
    for (let row = schedule.next(); row !== null; row = schedule.next()) {
      try {
        const result = await runOne(row, settings, schedule);
        results.set(row.name, result);
        print(result, settings);
      } catch (error) {
        failures += 1;
        console.error(`${row.name}: could not be run (seed ${settings.seed}):`, error);
      }
    }
  };
  await Promise.all(Array.from({ length: WORLDS_AT_ONCE }, runOnAndOn));
  return { results: rows.flatMap(({ name }) => results.get(name) ?? []), failures };
}

async function runOne(row: Row, settings: Settings, schedule: Schedule): Promise<RowResult> {
  await using stack = new AsyncDisposableStack();
  let redis: RedisServer | undefined;
  if (settings.queue === 'redis') redis = stack.use(await startRedis());
  const takeTurn = async (): Promise<Turn> => {
    const turn = await schedule.takeTurn(row);
    stack.defer(turn.end);
    return settings.mutant === null ? turn : { ...turn, driveMs: MUTANT_DRIVE_SECONDS * 1_000 };
  };
  return await runRow(row, {
    seed: `${settings.seed} ${row.name}`,
    takeTurn,
    laneDepth: settings.laneDepth,
    atOnce: AGENTS_AT_ONCE,
    cast: CAST,
    redisUrl: redis?.url,
    mutant: settings.mutant ?? undefined,
    restTimeoutMs: settings.mutant === null ? undefined : MUTANT_REST_MS,
  });
}

function print(result: RowResult, { seed }: Settings): void {
  const { name, spends, faults, deaths, restSeconds, spans } = result;
  const verdict = isClean(result) ? 'clean' : 'FOUND';
  const numbers = `${spends} spends, ${faults} faults, ${restSeconds.toFixed(1)} s to rest`;
  const taken = Object.entries(spans).map(([part, seconds]) => `${part} ${seconds.toFixed(0)}`);
  console.log(`${verdict}: ${name}: ${numbers} (seconds: ${taken.join(', ')})`);
  for (const death of deaths) console.log(`  ended unexpectedly: ${death.split('\n')[0]}`);
  for (const sentence of describeFindings(result)) console.log(`  ${sentence}`);
  if (!isClean(result))
    console.log(`  to repeat: CHAOS_SEED=${seed} npm run chaos -- --row='${name}'`);
}

try {
  process.exitCode = await main();
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = FAILED;
}
