/**
 * A stranger sends transactions of the program while the confirm-worker is down. Measures when the
 * follower has caught up, with how many calls and how much memory, and the duration of own spends
 * meanwhile.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { sql } from 'slonik';
import { z } from 'zod';
import { sendArrivals, type Arrived } from '../load/arrivals.ts';
import { createStranger, type ForeignKind, type Stranger } from '../load/foreign-transactions.ts';
import { residentMib } from '../measure/memory.ts';
import { readRpcCalls, type RpcCalls, sumOf } from '../measure/rpc-calls.ts';
import { compareRounds, compareWithBound } from '../report/compare.ts';
import { quantile } from '../report/statistics.ts';
import type { Line, Row } from '../row.ts';
import type { Stage } from '../stage/open-stage.ts';

const TRANSACTIONS = 10_000;
const QUICK_TRANSACTIONS = 1_000;
const COUNT = 60;
const QUICK_COUNT = 20;
const SLOT_MS = 400;
const EVERY_MS = 2 * SLOT_MS;
const LOOK_EVERY_MS = 100;
const CONFIRM_WORKER = 'confirm-worker';
/** The target: to catch up within minutes. */
const MOST_SECONDS = 120;

const slotRow = z.object({ slot: z.bigint().nullable() });

type CaughtUp = {
  readonly seconds: number;
  readonly mostMib: number;
  readonly rpcCalls: number;
  readonly spends: Arrived;
};

export const backlog: Row = {
  id: 'backlog',
  lines: (['transfers', 'failures'] as const).flatMap(idsOf),
  limitMinutes: 20,
  run: async (bench) => {
    const transactions = bench.isQuick ? QUICK_TRANSACTIONS : TRANSACTIONS;
    const load = { count: bench.isQuick ? QUICK_COUNT : COUNT, everyMs: EVERY_MS, slotMs: SLOT_MS };
    await using stage = await bench.open({ name: 'backlog', wallets: 2, sessionsEach: 10 });
    const stranger = await createStranger(stage.system);
    bench.progress('backlog: spends without one');
    const without = await sendArrivals(stage, load);
    const lines: Line[] = [];
    for (const kind of ['transfers', 'failures'] as const) {
      bench.progress(`backlog: ${transactions} foreign ${kind} while the confirm-worker is down`);
      const one = await catchUp(stage, stranger, { kind, transactions, load });
      bench.progress(`backlog: caught up in ${one.seconds.toFixed(1)} s`);
      lines.push(...linesOf(kind, transactions, without, one));
    }
    await stage.rest();
    for (const sentence of await stage.findDisagreements()) bench.wrong(sentence);
    return lines;
  },
};

async function catchUp(
  stage: Stage,
  stranger: Stranger,
  {
    kind,
    transactions,
    load,
  }: {
    readonly kind: ForeignKind;
    readonly transactions: number;
    readonly load: Parameters<typeof sendArrivals>[1];
  },
): Promise<CaughtUp> {
  const { system, fixture } = stage;
  await system.kill(CONFIRM_WORKER);
  const lastSlot = await stranger.send(kind, transactions);
  await system.restart(CONFIRM_WORKER);
  const startMs = performance.now();
  let mostMib = 0;
  const following = async (): Promise<Omit<CaughtUp, 'spends' | 'mostMib'>> => {
    for (;;) {
      mostMib = Math.max(mostMib, await residentMib(system.pid(CONFIRM_WORKER)));
      const slot = await fixture.db.oneFirst(sql.type(slotRow)`
        select min(slot) as slot from program_cursor
      `);
      if (slot !== null && slot >= lastSlot) {
        const seconds = (performance.now() - startMs) / 1_000;
        const isItsOwn = ({ process }: RpcCalls): boolean => process === CONFIRM_WORKER;
        return { seconds, rpcCalls: sumOf(await readRpcCalls(system), isItsOwn) };
      }
      await delay(LOOK_EVERY_MS);
    }
  };
  const [followed, spends] = await Promise.all([following(), sendArrivals(stage, load)]);
  return { ...followed, mostMib, spends };
}

function linesOf(
  kind: ForeignKind,
  transactions: number,
  without: Arrived,
  { seconds, mostMib, rpcCalls, spends }: CaughtUp,
): readonly Line[] {
  const what = `${transactions} foreign ${kind}`;
  const [caughtUp = '', memory = '', calls = '', p50 = '', p99 = ''] = idsOf(kind);
  const compared = (id: string, q: number, name: string): Line =>
    compareRounds(
      { id, what: `${what}: own spends meanwhile, ${name}`, unit: 'ms' },
      {
        ours: [quantile(spends.latenciesMs, q)],
        reference: [quantile(without.latenciesMs, q)],
      },
      { atMost: 1.5 },
    );
  return [
    compareWithBound({ id: caughtUp, what: `${what}: caught up after`, unit: 's' }, [seconds], {
      atMost: MOST_SECONDS,
    }),
    compareWithBound(
      { id: memory, what: `${what}: confirm-worker, most memory`, unit: 'MiB' },
      [mostMib],
      null,
    ),
    compareWithBound(
      { id: calls, what: `${what}: its RPC calls until then`, unit: '' },
      [rpcCalls],
      null,
    ),
    compared(p50, 0.5, 'p50'),
    compared(p99, 0.99, 'p99'),
  ];
}

function idsOf(kind: ForeignKind): readonly string[] {
  return ['caught-up', 'memory', 'rpc-calls', 'spend-p50', 'spend-p99'].map(
    (name) => `backlog-${kind}-${name}`,
  );
}
