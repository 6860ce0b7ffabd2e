import { setTimeout as delay } from 'node:timers/promises';
import { PROFILES } from '../support/fault-proxy-profiles.ts';
import { checkWorld, type Findings } from './check.ts';
import { type Ask, type Cast, createCast, runLoad } from './load.ts';
import { comeToRest } from './rest.ts';
import type { Row } from './row.ts';
import { startWorld, type World } from './world.ts';

/** A slow machine gets more time to make its faults, but not for ever. */
const MOST_TIMES = 4;
const CLOCK_MS = 100;

export type RowOptions = {
  readonly seed: string;
  readonly driveMs: number;
  readonly laneDepth: number;
  readonly atOnce: number;
  readonly cast: { readonly wallets: number; readonly sessionsEach: number };
  readonly redisUrl?: string | undefined;
  readonly plant?: URL | undefined;
  /** Stops the load early once so many faults were made. */
  readonly mostFaults?: number;
};

export type RowResult = Findings & {
  readonly name: string;
  readonly faults: number;
  readonly restSeconds: number;
  /** Processes that ended by themselves. */
  readonly deaths: readonly string[];
};

/** Runs one row in a world of its own: load and faults at once, then calm, rest and checks. */
export async function runRow(row: Row, options: RowOptions): Promise<RowResult> {
  const { seed, plant } = options;
  await using world = await startWorld({
    seed,
    profile: PROFILES[row.profile ?? 'honest'],
    secondProfile: row.secondProfile === undefined ? undefined : PROFILES[row.secondProfile],
    workers: row.workers,
    laneDepth: options.laneDepth,
    redisUrl: options.redisUrl,
    feePayerKeys: row.feePayerKeys,
    preloads: (name, role) => [
      ...(row.preloads?.(name, role) ?? []),
      ...(plant === undefined ? [] : [plant]),
    ],
    env: row.env,
  });
  const cast = await createCast(world, options.cast);
  const asks = await drive(world, cast, row, options);
  world.setLying(false);
  const rest = await comeToRest(world);
  const findings = await checkWorld(world, { cast, asks, rest }, { forks: row.forks ?? false });
  const { name } = row;
  return {
    ...findings,
    name,
    faults: world.faults(),
    restSeconds: rest.seconds,
    deaths: world.deaths,
  };
}

/** Load and faults side by side, until the time is over and enough faults were made. */
async function drive(
  world: World,
  cast: Cast,
  row: Row,
  { driveMs, seed, atOnce, mostFaults = Number.POSITIVE_INFINITY }: RowOptions,
): Promise<readonly Ask[]> {
  const over = new AbortController();
  const { signal } = over;
  world.setLying(true);
  const leastFaults = row.leastFaults ?? 1;
  const clock = async (): Promise<void> => {
    const startedMs = performance.now();
    while (!signal.aborted) {
      const elapsedMs = performance.now() - startedMs;
      const isEnough = world.faults() >= leastFaults && elapsedMs >= driveMs;
      if (isEnough || elapsedMs >= MOST_TIMES * driveMs || world.faults() >= mostFaults) return;
      await delay(CLOCK_MS);
    }
  };
  // Whoever ends or fails first ends the others too; a failure is thrown when all have ended.
  const endingAll = async <T>(work: Promise<T>): Promise<T> => work.finally(() => over.abort());
  const disturb = row.disturb?.(world, cast, { signal, seed }) ?? Promise.resolve();
  const parts = [
    runLoad(world, cast, { atOnce, signal }),
    endingAll(clock()),
    disturb.catch((error: unknown) => {
      over.abort();
      throw error;
    }),
  ] as const;
  await Promise.allSettled(parts);
  await Promise.all(parts);
  return parts[0];
}
