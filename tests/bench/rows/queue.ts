/** The queue on Redis, and two of each process, beside one of each with its queue in Postgres. */
import { appProcesses } from '@agent-wallet/local-system/system/app-processes.ts';
import type { StartSystemOptions } from '@agent-wallet/local-system/system/start-system.ts';
import { hasRedisServer, startRedis } from '../../support/queue/redis-server.ts';
import { withApis } from '../../support/system/with-apis.ts';
import { describeBurst } from '../load/burst.ts';
import { measureBurst, type MeasuredBurst } from '../measure/measured-burst.ts';
import { reportRounds } from '../report/compare.ts';
import type { Line, Row } from '../row.ts';
import { type Bench, SESSIONS_EACH, WALLETS } from '../stage/bench.ts';

const CLIENTS = 256;
const REQUESTS = 1_000;
const QUICK_REQUESTS = 300;
const COPIES = 2;

export const queue: Row = {
  id: 'queue',
  lines: ['queue-redis', 'two-of-each'],
  limitMinutes: 8,
  run: async (bench) => {
    const two: StartSystemOptions = {
      workers: { tx: COPIES, confirm: COPIES },
      processes: (surroundings) => withApis(appProcesses(surroundings), COPIES),
    };
    const twoOfEach = await compare(bench, 'two-of-each', 'two of each process: confirmed', two);
    if (!hasRedisServer()) {
      bench.progress('skipped: queue-redis, because there is no redis-server on PATH');
      return [twoOfEach];
    }
    await using redis = await startRedis();
    const onRedis = { redisUrl: redis.url };
    return [await compare(bench, 'queue-redis', 'queue on Redis: confirmed', onRedis), twoOfEach];
  },
};

async function compare(
  bench: Bench,
  id: 'queue-redis' | 'two-of-each',
  what: string,
  system: StartSystemOptions,
): Promise<Line> {
  const reference = await bench.shared();
  bench.progress(`${id}: starting a system`);
  const size = { wallets: WALLETS, sessionsEach: SESSIONS_EACH };
  await using ours = await bench.open({ name: id, ...size, system });
  const load = { requests: bench.isQuick ? QUICK_REQUESTS : REQUESTS, clients: CLIENTS };
  // A process that has just started compiles its code during its first spends.
  await measureBurst(ours, load);
  const sides = { ours, reference };
  const rates: Record<keyof typeof sides, number[]> = { ours: [], reference: [] };
  for (let round = 1; round <= bench.rounds; round += 1) {
    for (const side of ['ours', 'reference'] as const) {
      const one: MeasuredBurst = await measureBurst(sides[side], load);
      bench.progress(`${id}, round ${round} of ${bench.rounds}: ${side} ${describeBurst(one)}`);
      rates[side].push(one.confirmedPerSecond);
    }
  }
  return reportRounds({ id, what, unit: '/s' }, rates);
}
