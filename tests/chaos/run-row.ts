import { setTimeout as delay } from 'node:timers/promises';
import { changeDatabase } from '../mutants/change-database.ts';
import { preloadOf } from '../mutants/on-load.ts';
import { PROFILES } from '../support/rpc-proxy/profiles.ts';
import { checkWorld, type Findings } from './check/check.ts';
import { type Cast, createCast, runLoad, type SentRequest } from './world/load.ts';
import { comeToRest } from './world/rest.ts';
import type { Row } from './row.ts';
import type { Turn } from './schedule.ts';
import { startWorld, type World } from './world/world.ts';

/** A busy machine gets more time to make its faults, unless none was made for so long. */
const PATIENCE_MS = 180_000;
const CLOCK_MS = 100;
/** A query without a response takes 15 s, a new connection 5 s; the rest is for a busy machine. */
const LATEST_ANSWER_MS = 60_000;

export type RowOptions = {
  readonly seed: string;
  /** Called when the world is ready for its load. */
  readonly takeTurn: () => Promise<Turn>;
  readonly laneDepth: number;
  readonly atOnce: number;
  readonly cast: { readonly wallets: number; readonly sessionsEach: number };
  readonly redisUrl?: string | undefined;
  /** Name of the mutant that all processes run. */
  readonly mutant?: string | undefined;
  /** How long to wait for the rest, which a mutant may never reach. */
  readonly restTimeoutMs?: number | undefined;
};

export type RowResult = Findings & {
  readonly name: string;
  readonly faults: number;
  /** Number of those that the disturbance made. */
  readonly made: number;
  readonly restSeconds: number;
  /** Duration of each phase in seconds. */
  readonly spans: Readonly<Record<'start' | 'wait' | 'drive' | 'rest' | 'checks', number>>;
  /** Processes that ended unexpectedly. */
  readonly deaths: readonly string[];
};

/** Runs one row in its own world: load and faults, then rest and checks. */
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
    linked: row.linked,
    preloads: (name, role) => [
      ...(row.preloads?.(name, role) ?? []),
      ...(mutant === undefined ? [] : [preloadOf(mutant)]),
    ],
    env: row.env,
  });
  if (mutant !== undefined) await changeDatabase(world.database.directUrl, mutant);
  const cast = await createCast(world, options.cast);
  const start = span();
  const turn = await options.takeTurn();
  const waited = span();
  const sent = await drive(world, cast, row, { ...options, driveMs: turn.driveMs });
  world.setLying(false);
  turn.end();
  const driven = span();
  const rest = await comeToRest(world, options.restTimeoutMs);
  const resting = span();
  const findings = await checkWorld(world, { cast, sent, rest }, row);
  const { name } = row;
  return {
    ...findings,
    illegal: [
      ...findings.illegal,
      ...world.reported,
      ...(row.linked === undefined ? [] : findLateAnswers(sent)),
      ...findIdleness(row, world),
    ],
    name,
    faults: world.faults(),
    made: world.made(),
    restSeconds: rest.seconds,
    spans: { start, wait: waited, drive: driven, rest: resting, checks: span() },
    deaths: world.deaths,
  };
}

/** Returns a function that returns the seconds since its previous call. */
function createStopwatch(): () => number {
  let sinceMs = performance.now();
  return () => {
    const seconds = (performance.now() - sinceMs) / 1_000;
    sinceMs += seconds * 1_000;
    return seconds;
  };
}

/** Runs load and faults until the time is over and enough faults were made. */
async function drive(
  world: World,
  cast: Cast,
  row: Row,
  { driveMs, seed, atOnce }: Pick<RowOptions, 'seed' | 'atOnce'> & { readonly driveMs: number },
): Promise<readonly SentRequest[]> {
  const over = new AbortController();
  const { signal } = over;
  world.setLying(true);
  const clock = async (): Promise<void> => {
    const startedMs = performance.now();
    let newest = { made: world.made(), atMs: startedMs };
    while (!signal.aborted) {
      const nowMs = performance.now();
      if (world.made() > newest.made) newest = { made: world.made(), atMs: nowMs };
      const isTimeUp = nowMs - startedMs >= driveMs;
      const isStuck = nowMs - newest.atMs >= PATIENCE_MS;
      if (isTimeUp && (isStuck || findMissing(row, world).length === 0)) return;
      await delay(CLOCK_MS);
    }
  };
  // The first part to end or fail ends the others. Failures are thrown when all have ended.
  const load = runLoad(world, cast, { atOnce, signal });
  const disturb = row.disturb?.(world, cast, { signal, seed });
  const parts = [load, clock(), disturb ?? load].map((part) =>
    Promise.resolve(part).finally(() => over.abort()),
  );
  const outcomes = await Promise.allSettled(parts);
  for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason;
  return load;
}

/** A silence of the API must not keep a caller waiting until its end. */
function findLateAnswers(sent: readonly SentRequest[]): readonly string[] {
  return sent
    .filter(({ overWaitMs }) => overWaitMs > LATEST_ANSWER_MS)
    .map(
      ({ amount, overWaitMs }) =>
        `the request for ${amount} had no answer ${Math.round(overWaitMs / 1_000)} s after its wait`,
    );
}

/** A row without its faults would prove nothing. */
function findIdleness(row: Row, world: World): readonly string[] {
  const { profile = 'honest' } = row;
  const isSilent = profile !== 'honest' && world.faults() === world.made();
  return [...findMissing(row, world), ...(isSilent ? ['the chain never lied'] : [])];
}

/** Returns the faults that the row still has to make. */
function findMissing(row: Row, world: World): readonly string[] {
  const { leastFaults = row.disturb === undefined ? 0 : 1, kinds = [] } = row;
  const made = world.made();
  const missing = kinds.filter((kind) => !world.wasMade(kind));
  return [
    ...(made < leastFaults ? [`only ${made} of ${leastFaults} faults were made`] : []),
    ...missing.map((kind) => `there was no ${kind}`),
  ];
}
