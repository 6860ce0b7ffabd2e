/** What one settled spend of a burst asks of Postgres, of the chain and of the queue. */
import { setTimeout as delay } from 'node:timers/promises';
import { sendBurst } from '../load/burst.ts';
import { COUNTED, type Counts, startCounting } from '../measure/counts.ts';
import { compareWithBound } from '../report/compare.ts';
import type { Row } from '../row.ts';

const CLIENTS = 256;
const REQUESTS = 1_000;
const QUICK_REQUESTS = 300;
const IDLE_MS = 12_000;
/** A backend of Postgres that fell idle reports its counts up to 10 s later. */
const REPORTED_AFTER_MS = 11_000;
const MOST = { statements: 12, commits: 4, rpcCalls: 1.5, jobs: 1.1 } as const satisfies Counts;
const NAMES = {
  statements: 'statements',
  commits: 'commits',
  rpcCalls: 'RPC calls',
  jobs: 'jobs',
} as const satisfies Record<keyof Counts, string>;

export const perSpend: Row = {
  id: 'per-spend',
  lines: COUNTED.map((name) => `per-spend-${name}`),
  limitMinutes: 5,
  run: async (bench) => {
    const stage = await bench.shared();
    await using counter = await startCounting(stage.system);
    bench.progress('per spend: an idle system');
    await stage.rest();
    await delay(REPORTED_AFTER_MS);
    const idleFrom = await counter.read();
    await delay(IDLE_MS);
    const idleTo = await counter.read();
    const rounds: Record<keyof Counts, number>[] = [];
    for (let round = 1; round <= bench.rounds; round += 1) {
      bench.progress(`per spend, round ${round} of ${bench.rounds}`);
      const startedMs = performance.now();
      const before = await counter.read();
      const requests = bench.isQuick ? QUICK_REQUESTS : REQUESTS;
      const confirmedBefore = await stage.countConfirmed();
      await sendBurst(stage, { requests, clients: CLIENTS });
      await stage.rest();
      await delay(REPORTED_AFTER_MS);
      const after = await counter.read();
      const idleParts = (performance.now() - startedMs) / IDLE_MS;
      const confirmed = (await stage.countConfirmed()) - confirmedBefore;
      const of = (name: keyof Counts): number =>
        (after[name] - before[name] - idleParts * (idleTo[name] - idleFrom[name])) / confirmed;
      rounds.push({
        statements: of('statements'),
        commits: of('commits'),
        rpcCalls: of('rpcCalls'),
        jobs: of('jobs'),
      });
    }
    return COUNTED.map((name) =>
      compareWithBound(
        { id: `per-spend-${name}`, what: `${NAMES[name]} for each settled spend`, unit: '' },
        rounds.map((one) => one[name]),
        { atMost: MOST[name] },
      ),
    );
  },
};
