/** Transfers one at a time, ours and the plain handler's in turns: latency in an open loop. */
import { type Arrived, sendArrivals } from '../load/arrivals.ts';
import { compareRounds } from '../report/compare.ts';
import { quantile } from '../report/statistics.ts';
import type { Row } from '../row.ts';

const COUNT = 60;
const QUICK_COUNT = 30;
const SLOT_MS = 400;
/** Two arrivals are 650 ms apart or more, which is longer than a spend takes. */
const EVERY_MS = 2 * SLOT_MS;

export const oneAtATime: Row = {
  id: 'one-at-a-time',
  lines: ['one-at-a-time-p50', 'one-at-a-time-p99'],
  limitMinutes: 8,
  run: async (bench) => {
    const targets = { ours: await bench.shared(), reference: await bench.plain() };
    const load = { count: bench.isQuick ? QUICK_COUNT : COUNT, everyMs: EVERY_MS, slotMs: SLOT_MS };
    const ours: Arrived[] = [];
    const reference: Arrived[] = [];
    for (let round = 1; round <= bench.rounds; round += 1) {
      bench.progress(`one at a time, round ${round} of ${bench.rounds}, both at the same time`);
      const [one, other] = await Promise.all([
        sendArrivals(targets.ours, load),
        sendArrivals(targets.reference, load),
      ]);
      bench.progress(`${JSON.stringify(one.replies)} and ${JSON.stringify(other.replies)}`);
      ours.push(one);
      reference.push(other);
    }
    const line = (name: 'p50' | 'p99', q: number, atMost: number) => {
      const of = ({ latenciesMs }: Arrived): number => quantile(latenciesMs, q);
      const naming = { id: `one-at-a-time-${name}`, what: `one at a time, ${name}`, unit: 'ms' };
      const rounds = { ours: ours.map(of), reference: reference.map(of) };
      return compareRounds(naming, rounds, { atMost });
    };
    return [line('p50', 0.5, 1.1), line('p99', 0.99, 1.2)];
  },
};
