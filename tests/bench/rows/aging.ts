/**
 * One system from its first to its fifty-thousandth spend: the same burst at both ends, memory on
 * the way, and the largest burst of which no spend was refused unsent.
 */
import { sql } from 'slonik';
import { z } from 'zod';
import { describeBurst } from '../load/burst.ts';
import { MEASURED, readMemory } from '../measure/memory.ts';
import { measureBurst, type MeasuredBurst, summarize } from '../measure/measured-burst.ts';
import { compareRounds, compareWithBound } from '../report/compare.ts';
import type { Line, Row } from '../row.ts';
import { SESSIONS_EACH, WALLETS } from '../stage/bench.ts';
import type { Stage } from '../stage/open-stage.ts';

const CLIENTS = 256;
/** A process that has just started compiles its code during its first spends. */
const WARM_UP = 200;
const MEASURED_BURST = 1_000;
/** At the end of each there is a measurement; together with the bursts they make 50 000. */
const FILLS = { toLargest: 10_000, toMemory: 8_800, larger: 20_000, toEnd: 9_000 } as const;
const QUICK_PART = 10;

const countRow = z.object({ count: z.number() });

type Age = {
  readonly early: MeasuredBurst;
  readonly late: MeasuredBurst;
  readonly memory: Readonly<Record<'early' | 'late', Awaited<ReturnType<typeof readMemory>>>>;
  readonly largest: readonly { readonly requests: number; readonly unsent: number }[];
};

export const aging: Row = {
  id: 'aging',
  lines: ['aged', 'largest-burst', ...MEASURED.map((name) => `memory-${name}`)],
  limitMinutes: 15,
  run: async (bench) => {
    const part = bench.isQuick ? QUICK_PART : 1;
    bench.progress('starting a system to age');
    const size = { wallets: WALLETS, sessionsEach: SESSIONS_EACH };
    await using stage = await bench.open({ name: 'aging', ...size });
    let spends = 0;
    const send = async (requests: number, prefer?: string): Promise<MeasuredBurst> => {
      const load = { requests, clients: CLIENTS, ...(prefer === undefined ? {} : { prefer }) };
      const one = await measureBurst(stage, load);
      spends += requests;
      const rate = one.confirmedPerSecond.toFixed(0);
      bench.progress(`aging, ${spends} spends: ${rate} /s confirmed, ${describeBurst(one)}`);
      return one;
    };
    const fill = async (requests: number): Promise<{ requests: number; unsent: number }> => {
      const before = await countUnsent(stage);
      await send(requests / part, 'respond-async');
      return { requests: requests / part, unsent: (await countUnsent(stage)) - before };
    };
    await send(WARM_UP);
    const early = await send(MEASURED_BURST / part);
    const memoryEarly = await readMemory(stage.system);
    const largest = [await fill(FILLS.toLargest)];
    await fill(FILLS.toMemory);
    const memoryLate = await readMemory(stage.system);
    largest.push(await fill(FILLS.larger));
    await fill(FILLS.toEnd);
    const late = await send(MEASURED_BURST / part);
    for (const sentence of await stage.findDisagreements()) bench.wrong(sentence);
    const memory = { early: memoryEarly, late: memoryLate };
    return linesOf({ early, late, memory, largest });
  },
};

async function countUnsent({ fixture }: Stage): Promise<number> {
  return fixture.db.oneFirst(sql.type(countRow)`
    select count(*)::int as count from spend where code = 'EXPIRED_UNSENT'
  `);
}

function linesOf({ early, late, memory, largest }: Age): readonly Line[] {
  const clean = largest.filter(({ unsent }) => unsent === 0).map(({ requests }) => requests);
  const largestClean = compareWithBound(
    {
      id: 'largest-burst',
      what: 'largest burst tried of which nothing was refused unsent (`respond-async`)',
      unit: '',
    },
    [Math.max(0, ...clean)],
    { atLeast: FILLS.toLargest },
  );
  const naming = {
    id: 'aged',
    what: 'seconds for each spend of the same burst, at the 50th thousand and at the 1st',
    unit: 's',
  };
  const aged = compareRounds(
    naming,
    { ours: [1 / late.confirmedPerSecond], reference: [1 / early.confirmedPerSecond] },
    { atMost: 1.2 },
  );
  return [
    { ...largestClean, numbers: { tried: largest } },
    { ...aged, numbers: { ...aged.numbers, early: summarize(early), late: summarize(late) } },
    ...MEASURED.map((name) => {
      const sides = { ours: memory.late[name], reference: memory.early[name] };
      const what = `memory of ${name} after 20 000 spends, and after 1 000`;
      const line = compareRounds(
        { id: `memory-${name}`, what, unit: 'MiB' },
        { ours: [sides.ours.residentMib], reference: [sides.reference.residentMib] },
        { atMost: 1.1 },
      );
      return { ...line, numbers: { ...line.numbers, ...sides } };
    }),
  ];
}
