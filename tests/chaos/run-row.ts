import { setTimeout as delay } from 'node:timers/promises';
import { preloadOf } from '../mutants/on-load.ts';
import { PROFILES } from '../support/rpc-proxy/profiles.ts';
import { checkWorld, type Findings } from './check/check.ts';
import { type Ask, type Cast, createCast, runLoad } from './world/load.ts';
import { comeToRest } from './world/rest.ts';
import type { Row } from './row.ts';
import type { Turn } from './schedule.ts';
import { startWorld, type World } from './world/world.ts';

/** A slow machine gets more time to make its faults, but not for ever. */
const MOST_TIMES = 4;
const LEAST_PATIENCE_MS = 180_000;
const CLOCK_MS = 100;

export type RowOptions = {
  readonly seed: string;
  /** Asked when the world is ready for its load. */
  readonly takeTurn: () => Promise<Turn>;
  readonly laneDepth: number;
  readonly atOnce: number;
  readonly cast: { readonly wallets: number; readonly sessionsEach: number };
  readonly redisUrl?: string | undefined;
  /** Name of the mutant that all processes run. */
  readonly mutant?: string | undefined;
  /** How long to wait for the rest; a world of a mutant may have none. */
  readonly restTimeoutMs?: number | undefined;
};

export type RowResult = Findings & {
  readonly name: string;
  readonly faults: number;
  /** Of these, what was done to processes, database and queue. */
  readonly made: number;
  readonly restSeconds: number;
  /** What its seconds went to. */
  readonly spans: Readonly<Record<'start' | 'wait' | 'drive' | 'rest' | 'checks', number>>;
  /** Processes that ended by themselves. */
  readonly deaths: readonly string[];
};

/** Runs one row in a world of its own: load and faults at once, then calm, rest and checks. */
export async function runRow(row: Row, options: RowOptions): Promise<RowResult> {
  const { seed, mutant } = options;
  const span = createStopwatch();
  await using world = await startWorld({
    seed,
    profile: PROFILES[row.profile ?? 'honest'],
    secondProfile: row.secondProfile === undefined ? undefined : PROFILES[row.secondProfile],
    slotTimeMs: row.slotTimeMs,
    copies: row.copies,
    laneDepth: options.laneDepth,
    redisUrl: options.redisUrl,
    feePayerKeys: row.feePayerKeys,
    preloads: (name, role) => [
      ...(row.preloads?.(name, role) ?? []),
      ...(mutant === undefined ? [] : [preloadOf(mutant)]),
    ],
    env: row.env,
  });
  const cast = await createCast(world, options.cast);
  const start = span();
  const turn = await options.takeTurn();
  const waited = span();
  const asks = await drive(world, cast, row, { ...options, driveMs: turn.driveMs });
  world.setLying(false);
  turn.end();
  const driven = span();
  const rest = await comeToRest(world, options.restTimeoutMs);
  const resting = span();
  const findings = await checkWorld(world, { cast, asks, rest }, { forks: row.forks ?? false });
  const { name } = row;
  return {
    ...findings,
    illegal: [...findings.illegal, ...findIdleness(row, world)],
    name,
    faults: world.faults(),
    made: world.made(),
    restSeconds: rest.seconds,
    spans: { start, wait: waited, drive: driven, rest: resting, checks: span() },
    deaths: world.deaths,
  };
}

/** Answers the seconds since it was asked last. */
function createStopwatch(): () => number {
  let sinceMs = performance.now();
  return () => {
    const seconds = (performance.now() - sinceMs) / 1_000;
    sinceMs += seconds * 1_000;
    return seconds;
  };
}

/** Load and faults side by side, until the time is over and enough faults were made. */
async function drive(
  world: World,
  cast: Cast,
  row: Row,
  { driveMs, seed, atOnce }: Pick<RowOptions, 'seed' | 'atOnce'> & { readonly driveMs: number },
): Promise<readonly Ask[]> {
  const over = new AbortController();
  const { signal } = over;
  world.setLying(true);
  const patienceMs = Math.max(MOST_TIMES * driveMs, LEAST_PATIENCE_MS);
  const clock = async (): Promise<void> => {
    const startedMs = performance.now();
    while (!signal.aborted) {
      const elapsedMs = performance.now() - startedMs;
      const isEnough = findMissing(row, world).length === 0 && elapsedMs >= driveMs;
      if (isEnough || elapsedMs >= patienceMs) return;
      await delay(CLOCK_MS);
    }
  };
  // Whoever ends or fails first ends the others; a failure is thrown when all have ended.
  const load = runLoad(world, cast, { atOnce, signal });
  const disturb = row.disturb?.(world, cast, { signal, seed });
  const parts = [load, clock(), disturb ?? load].map((part) =>
    Promise.resolve(part).finally(() => over.abort()),
  );
  const outcomes = await Promise.allSettled(parts);
  for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason;
  return load;
}

/** A row whose faults never happened would prove nothing. */
function findIdleness(row: Row, world: World): readonly string[] {
  const { profile = 'honest' } = row;
  const isSilent = profile !== 'honest' && world.faults() === world.made();
  return [...findMissing(row, world), ...(isSilent ? ['the chain never lied'] : [])];
}

/** What the row's disturbance has not made yet and must. */
function findMissing(row: Row, world: World): readonly string[] {
  const { leastFaults = row.disturb === undefined ? 0 : 1, kinds = [] } = row;
  const made = world.made();
  const missing = kinds.filter((kind) => !world.wasMade(kind));
  return [
    ...(made < leastFaults ? [`only ${made} of ${leastFaults} faults were made`] : []),
    ...missing.map((kind) => `there was no ${kind}`),
  ];
}
