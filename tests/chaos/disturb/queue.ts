import { setTimeout as delay } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { drawWhole } from '../../support/rpc-proxy/draw.ts';
import type { Disturb } from '../row.ts';
import { connect } from '../world/connect.ts';

const BETWEEN_MS = [500, 3_000] as const;
const STOPPED_MS = [1_000, 8_000] as const;

/** The store of the queue. */
type Store = AsyncDisposable & {
  empty(): Promise<void>;
  /** Blocks all access to the queue for that long. */
  stopFor(stoppedMs: number): Promise<void>;
};

/** Empties or blocks the queue at random moments. */
export const breakQueue: Disturb = async (world, _cast, { signal, seed }) => {
  await using store =
    world.redisUrl === undefined
      ? await openTables(world.database.directUrl)
      : openRedis(world.redisUrl);
  for (let n = 1; !signal.aborted; n += 1) {
    await delay(drawWhole(BETWEEN_MS, seed, 'between', n));
    if (signal.aborted) return;
    world.countFault();
    if (drawWhole([0, 1], seed, 'kind', n) === 0) await store.empty();
    else await store.stopFor(drawWhole(STOPPED_MS, seed, 'stopped', n));
  }
};

const JOB_TABLES = 'bullmq.job, bullmq.dedup, bullmq.dedup_next, bullmq.event';

async function openTables(url: string): Promise<Store> {
  const client = await connect(url);
  return {
    empty: async () => {
      await client.query(`truncate ${JOB_TABLES} cascade`);
    },
    stopFor: async (stoppedMs) => {
      await client.query('begin');
      await client.query('lock table bullmq.job in access exclusive mode');
      await delay(stoppedMs);
      await client.query('rollback');
    },
    [Symbol.asyncDispose]: () => client.end(),
  };
}

function openRedis(url: string): Store {
  const redis = new Redis(url);
  redis.on('error', () => undefined);
  return {
    empty: async () => {
      await redis.flushall();
    },
    stopFor: async (stoppedMs) => {
      // All clients wait.
      await redis.client('PAUSE', stoppedMs, 'ALL');
      await delay(stoppedMs);
    },
    [Symbol.asyncDispose]: async () => {
      redis.disconnect();
    },
  };
}
