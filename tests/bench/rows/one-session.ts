/** All requests from one session, whose lane keeps their order; the plain handler with one key. */
import { type Burst, describeBurst, sendBurst } from '../load/burst.ts';
import { measureBurst, type MeasuredBurst } from '../measure/measured-burst.ts';
import { compareRounds } from '../report/compare.ts';
import type { Row } from '../row.ts';

/** Below the burst of requests that the api allows a session. */
const LOAD = { requests: 400, clients: 200 } as const;

export const oneSession: Row = {
  id: 'one-session',
  lines: [],
  limitMinutes: 5,
  run: async (bench) => {
    const stage = await bench.shared();
    const plain = await bench.plain();
    const ours: MeasuredBurst[] = [];
    const reference: Burst[] = [];
    for (let round = 1; round <= bench.rounds; round += 1) {
      const say = (text: string): void => {
        bench.progress(`one session, round ${round} of ${bench.rounds}: ${text}`);
      };
      const one = await measureBurst(stage, LOAD, { ...stage, agents: stage.agents.slice(0, 1) });
      say(`ours ${describeBurst(one)}`);
      ours.push(one);
      const other = await sendBurst({ ...plain, agents: plain.agents.slice(0, 1) }, LOAD);
      say(`plain handler ${describeBurst(other)}`);
      reference.push(other);
    }
    const naming = {
      id: 'one-session',
      what: `one session, ${LOAD.clients} concurrent: confirmed`,
      unit: '/s',
    };
    const rounds = {
      ours: ours.map(({ confirmedPerSecond }) => confirmedPerSecond),
      reference: reference.map(({ replies, seconds }) => (replies['200'] ?? 0) / seconds),
    };
    return [compareRounds(naming, rounds, { atLeast: 0.7 })];
  },
};
