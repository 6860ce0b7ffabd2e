/**
 * Every external call of a use case fails once in each way; newly started processes must then bring
 * every row to rest. `KTH_CALL=all npm run test:slow -- kth-call` tries every call in every way;
 * by default calls that differ from another one only in their place are left out.
 */
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { comeToRest } from './come-to-rest.ts';
import { type Call, createFaultyIo, type Fault, WAYS, type Way } from './faulty-io.ts';
import { findWrong } from './findings.ts';
import { startProcesses } from './processes.ts';
import { createSmallWorld, type Ground, holdClock, openGround } from './small-world.ts';
import { GO_ON, make, USE_CASES, type UseCase } from './use-cases.ts';

const isWhole = process.env['KTH_CALL'] === 'all';
/** More than any use case makes. */
const MOST_CALLS = 400;
const TIMEOUT_MS = isWhole ? 1_800_000 : 300_000;

let ground: Ground;
beforeAll(async () => {
  holdClock();
  ground = await openGround();
});
afterAll(async () => {
  vi.restoreAllMocks();
  await ground[Symbol.asyncDispose]();
});

test.each(USE_CASES.map((useCase) => ({ name: useCase[0], useCase })))(
  '$name: any one call may fail',
  async ({ useCase }) => {
    const [, , , { ways = WAYS } = {}] = useCase;
    const dry = await run(useCase, null);
    expect(dry).toMatchObject({ wrong: [] });
    const wrong: string[] = [];
    for (const { k, way } of placesOf(dry.calls, ways)) {
      const { wrong: found, calls } = await run(useCase, { k, way });
      wrong.push(...found.map((one) => `k=${k} ${way} (${calls[k - 1]?.label}): ${one}`));
    }
    expect(wrong).toEqual([]);
  },
  TIMEOUT_MS,
);

type Place = { readonly k: number; readonly way: Way };

/** Which calls to fail, and how. */
function placesOf(calls: readonly Call[], ways: readonly Way[]): readonly Place[] {
  if (calls.length > MOST_CALLS) throw new RangeError('the use case does not end');
  const all = calls.flatMap((_, index) => WAYS.map((way) => ({ k: index + 1, way })));
  if (isWhole) return all;
  const seen = new Set<string>();
  return all.filter(({ k, way }) => {
    const call = calls[k - 1];
    if (call === undefined || !ways.includes(way) || !isWorthIt(call, way)) return false;
    // An SQL transaction is identified by the call before it, and by its last statement.
    const isBound = call.label === 'begin' || call.label === 'commit';
    const place = `${way} ${call.label} ${isBound ? calls[k - 2]?.label : ''}`;
    const isNew = !seen.has(place);
    seen.add(place);
    return isNew;
  });
}

/** A read fails in one way, and a broken SQL transaction is the same wherever it broke. */
function isWorthIt({ changes, holdsLocks, label }: Call, way: Way): boolean {
  if (label === 'commit') return way === 'before' || way === 'after';
  if (holdsLocks) return false;
  if (label === 'begin') return way === 'dies' || way === 'sleeps';
  return changes || way === 'before';
}

type Run = { readonly wrong: readonly string[]; readonly calls: readonly Call[] };

/** Runs a use case until every row is at rest, with one call that fails or none. */
async function run([, arrange, act, options]: UseCase, at: Place | null): Promise<Run> {
  const { firstIsBlind = false, pays = 'transfer', meanwhile = GO_ON } = options ?? {};
  const world = await createSmallWorld(ground, { firstIsBlind, pays });
  await make(arrange, world);
  const whileAsleep = (): Promise<void> =>
    make(meanwhile, world, startProcesses(world.io, world.keys));
  const fault: Fault | null = at === null ? null : { ...at, whileAsleep };
  const io = createFaultyIo(world.io, fault);
  const wrong: string[] = [];
  try {
    await make(act, world, startProcesses(io, world.keys));
  } catch (error) {
    // A use case may fail with the call, but not because a call was slow.
    if (at === null || at.way === 'sleeps') wrong.push(`it failed: ${String(error)}`);
  }
  await world.endAll();
  const left = await comeToRest(world).catch((error: unknown) => `no rest: ${String(error)}`);
  if (left !== null) wrong.push(left);
  wrong.push(...(await findWrong(world)));
  if (wrong.length > 0) await takeNewGround();
  return { wrong, calls: io.calls };
}

/** The rows of a failed run must not affect the next one. */
async function takeNewGround(): Promise<void> {
  await ground[Symbol.asyncDispose]();
  ground = await openGround();
}
