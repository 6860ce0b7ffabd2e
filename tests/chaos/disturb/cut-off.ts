import { setTimeout as delay } from 'node:timers/promises';
import { sql } from 'slonik';
import { z } from 'zod';
import { drawWhole } from '../../support/rpc-proxy/draw.ts';
import type { Disturb } from '../row.ts';
import { type Cast, transfer } from '../world/load.ts';
import type { Ending, Partner } from '../world/links.ts';
import type { World } from '../world/world.ts';

/** Longer than every timeout of the product. */
const SILENT_MS = [20_000, 23_000] as const;
/** After this time the leases and the SQL transactions of the silent process have ended. */
const FREED_MS = 12_000;
/** Generous for a busy machine: usually some spends are settled at once. */
const SETTLED_WITHIN_MS = 40_000;
/** Twice the longest pause of a loop whose calls to the chain fail. */
const BACK_WITHIN_MS = 60_000;
const BETWEEN_MS = [2_000, 4_000] as const;
const LOOK_EVERY_MS = 250;
const PROBE_EVERY_MS = 500;
/** Above all amounts of the load, because each amount identifies one request. */
const FIRST_AMOUNT = 500_000;

type Copy = {
  readonly name: string;
  /** The states into which it brings spends. */
  readonly becomes: readonly string[];
  /** The process that is stopped until this one has shown that it works. */
  readonly isStarvedBy?: string;
};

/** The second instance of each process. The first one continues alone. */
const COPIES = [
  // A worker that was never silent leaves little work to one that has just come back.
  {
    name: 'confirm-worker-2',
    becomes: ['confirmed', 'finalized'],
    isStarvedBy: 'confirm-worker',
  },
  { name: 'api-2', becomes: ['queued'] },
  { name: 'tx-worker-2', becomes: ['in_flight'], isStarvedBy: 'tx-worker' },
] as const satisfies readonly Copy[];

export const CUT_OFF: readonly string[] = COPIES.map(({ name }) => name);

/**
 * One process after the other has a silence towards a partner. During it, spends must settle;
 * afterwards the process must work again without help. The first silence of `healed` ends with the
 * same partner, that of the others with a replaced one.
 */
export function cutOff(partner: Partner, healed: (typeof COPIES)[number]['name']): Disturb {
  return async (world, cast, { signal, seed }) => {
    for (let n = 0; !signal.aborted; n += 1) {
      const copy: Copy = COPIES[n % COPIES.length] ?? COPIES[0];
      await pauseUntil(signal, drawWhole(BETWEEN_MS, seed, 'between', n));
      if (signal.aborted) return;
      const isFirst = n < COPIES.length;
      const isHealed = isFirst ? copy.name === healed : drawWhole([0, 1], seed, 'end', n) === 0;
      const silentMs = drawWhole(SILENT_MS, seed, 'silent', n);
      const ending = isHealed ? 'healed' : 'replaced';
      if (!(await silence(world, cast, { copy, partner, silentMs, ending, n, signal }))) return;
      world.countFault(`silence of ${copy.name}`);
    }
  };
}

type Silence = {
  readonly copy: Copy;
  readonly partner: Partner;
  readonly silentMs: number;
  readonly ending: Ending;
  readonly n: number;
  readonly signal: AbortSignal;
};

/** One silence and its checks; false when the row ended before both. */
async function silence(
  world: World,
  cast: Cast,
  { copy, partner, silentMs, ending, n, signal }: Silence,
): Promise<boolean> {
  const links = world.links.get(copy.name);
  if (links === undefined) throw new Error(`${copy.name} has no links`);
  const what = `the silence of the ${partner} towards ${copy.name}, then ${ending}`;
  const over = new AbortController();
  const probing = probe(world, cast, { n, signal: AbortSignal.any([signal, over.signal]) });
  try {
    links.silence(partner);
    try {
      const timeIsUp = pauseUntil(signal, silentMs);
      await pauseUntil(signal, FREED_MS);
      const freed = await readClock(world);
      const hasSettled = await changesWithin(
        world,
        { since: freed, becomes: ['confirmed'] },
        { deadlineMs: performance.now() + SETTLED_WITHIN_MS, signal },
      );
      await timeIsUp;
      if (signal.aborted) return false;
      if (!hasSettled) world.report(`nothing was settled during ${what}`);
    } finally {
      links.end(ending);
    }
    return await comesBack(world, copy, { what, signal });
  } finally {
    over.abort();
    await probing;
  }
}

/** Waits until the process does its work; reports when it does not in time. */
async function comesBack(
  world: World,
  { name, becomes, isStarvedBy }: Copy,
  { what, signal }: { readonly what: string; readonly signal: AbortSignal },
): Promise<boolean> {
  const since = await readClock(world);
  if (isStarvedBy !== undefined) world.system.pause(isStarvedBy);
  try {
    const deadlineMs = performance.now() + BACK_WITHIN_MS;
    const asked = { since, becomes, app: name };
    const isBack = await changesWithin(world, asked, { deadlineMs, signal });
    if (signal.aborted) return false;
    if (!isBack) world.report(`${name} did no work for ${BACK_WITHIN_MS / 1_000} s after ${what}`);
    return true;
  } finally {
    if (isStarvedBy !== undefined) world.system.resume(isStarvedBy);
  }
}

type Changes = {
  readonly since: string;
  readonly becomes: readonly string[];
  readonly app?: string;
};

/** Waits for a change of a spend to one of these states, by one process or by any. */
async function changesWithin(
  world: World,
  changes: Changes,
  { deadlineMs, signal }: { readonly deadlineMs: number; readonly signal: AbortSignal },
): Promise<boolean> {
  while (performance.now() < deadlineMs && !signal.aborted) {
    if (await isChanged(world, changes)) return true;
    await pauseUntil(signal, LOOK_EVERY_MS);
  }
  return false;
}

/**
 * Keeps sending spends to the first API. The agents of the load soon all wait for the silent
 * instance of the API, because nothing removes it from their list.
 */
async function probe(
  world: World,
  cast: Cast,
  { n, signal }: { readonly n: number; readonly signal: AbortSignal },
): Promise<void> {
  const sent: Promise<unknown>[] = [];
  for (let i = 0; !signal.aborted; i += 1) {
    const agent = cast.agents[i % cast.agents.length];
    if (agent === undefined) throw new Error('the cast has no agents');
    const amount = FIRST_AMOUNT + n * 1_000 + i;
    sent.push(transfer(world, cast, agent, { amount, prefer: 'wait=0' }).catch(() => undefined));
    await pauseUntil(signal, PROBE_EVERY_MS);
  }
  await Promise.all(sent);
}

async function pauseUntil(signal: AbortSignal, delayMs: number): Promise<void> {
  await delay(delayMs, undefined, { signal }).catch(() => undefined);
}

/** The database's clock, which also dates the changes. */
const readClock = ({ db }: World): Promise<string> =>
  db.oneFirst(sql.type(z.object({ now: z.string() }))`select clock_timestamp()::text as now`);

async function isChanged({ db }: World, changes: Changes): Promise<boolean> {
  const { since, becomes } = changes;
  const app = changes.app ?? null;
  return db.oneFirst(sql.type(z.object({ exists: z.boolean() }))`
    select exists (
      select from chaos.transition
      where at > ${since}::timestamptz and became = any(${sql.array(becomes, 'text')})
        and (${app}::text is null or app = ${app}))
  `);
}
