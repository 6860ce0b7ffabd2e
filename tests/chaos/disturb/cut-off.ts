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
/** What the silent process held is free again: leases, and SQL transactions without a client. */
const FREED_MS = 12_000;
/** Later than the longest pause of a loop whose calls to the chain fail. */
const BACK_WITHIN_MS = 40_000;
const BETWEEN_MS = [2_000, 4_000] as const;
const LOOK_EVERY_MS = 250;
const PROBE_EVERY_MS = 500;
/** Above all amounts of the load, because each amount identifies one request. */
const FIRST_AMOUNT = 500_000;

/** The second copy of each role. The first one carries on alone. */
const COPIES = [
  { name: 'confirm-worker-2', becomes: ['confirmed', 'finalized'] },
  { name: 'api-2', becomes: ['queued'] },
  { name: 'tx-worker-2', becomes: ['in_flight'] },
] as const;

type Copy = (typeof COPIES)[number];

export const CUT_OFF: readonly string[] = COPIES.map(({ name }) => name);

/**
 * One process after the other loses touch with a partner, without the end of a connection. While
 * it lasts, spends must settle; afterwards the process must do its work again by itself. The
 * partner of `healed` is the same after its first silence; that of the others was replaced.
 */
export function cutOff(partner: Partner, healed: Copy['name']): Disturb {
  return async (world, cast, { signal, seed }) => {
    for (let n = 0; !signal.aborted; n += 1) {
      const copy = COPIES[n % COPIES.length] ?? COPIES[0];
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
  const what = `the silence of the ${partner} towards ${copy.name}, ${ending} after ${silentMs} ms`;
  const over = new AbortController();
  const probing = probe(world, cast, { n, signal: AbortSignal.any([signal, over.signal]) });
  try {
    links.silence(partner);
    try {
      await pauseUntil(signal, FREED_MS);
      const freed = await readClock(world);
      await pauseUntil(signal, silentMs - FREED_MS);
      if (signal.aborted) return false;
      const settled = await countChanges(world, { since: freed, becomes: ['confirmed'] });
      if (settled === 0) world.report(`nothing was settled in the second part of ${what}`);
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
  { name, becomes }: Copy,
  { what, signal }: { readonly what: string; readonly signal: AbortSignal },
): Promise<boolean> {
  const since = await readClock(world);
  const deadlineMs = performance.now() + BACK_WITHIN_MS;
  while (performance.now() < deadlineMs) {
    if (signal.aborted) return false;
    if ((await countChanges(world, { since, becomes, app: name })) > 0) return true;
    await delay(LOOK_EVERY_MS);
  }
  world.report(`${name} did no work for ${BACK_WITHIN_MS / 1_000} s after ${what}`);
  return true;
}

/**
 * Sends spends to the first API, all along. The agents of the load soon all wait for a copy of the
 * API that is silent, because nobody takes it out of their list.
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

/** Counts the changes of spends to one of these states, by one process or by all. */
async function countChanges(
  { db }: World,
  asked: { readonly since: string; readonly becomes: readonly string[]; readonly app?: string },
): Promise<number> {
  const { since, becomes, app = null } = asked;
  return db.oneFirst(sql.type(z.object({ changes: z.number() }))`
    select count(*)::int as changes from chaos.transition
    where at > ${since}::timestamptz and became = any(${sql.array(becomes, 'text')})
      and (${app}::text is null or app = ${app})
  `);
}
