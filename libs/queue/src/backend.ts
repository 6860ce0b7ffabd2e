import {
  assertSchemaCompatibility,
  createPostgresBackend,
  LATEST_SCHEMA_VERSION,
  type PgPool,
  SchemaMigrationRequiredError,
} from 'bullmq';
import type { Cluster, Redis } from 'ioredis';
import { Pool } from 'pg';
import { checkEviction } from './check-eviction.ts';
import { connectRedis } from './connect-redis.ts';
import { CONNECT_TIMEOUT_MS, RESPONSE_TIMEOUT_MS, type Role } from './timeouts.ts';

/** The queue's store: Redis or Valkey with `redisUrl`, else BullMQ's tables in Postgres. */
export type QueueTarget = {
  readonly databaseUrl: string;
  /** See `parseRedisUrl`. */
  readonly redisUrl: string | undefined;
  /** In front of every key in Redis; several deployments can share a server. */
  readonly redisKeyPrefix?: string | undefined;
};

/** An open connection for BullMQ's classes. */
export type Backend =
  | { readonly kind: 'postgres'; readonly pool: PgPool; readonly close: () => Promise<void> }
  | {
      readonly kind: 'redis';
      readonly redis: Redis | Cluster;
      readonly prefix: string;
      readonly close: () => Promise<void>;
    };

export const LANE_QUEUE = 'lanes';
export { createPostgresBackend };
const DEFAULT_PREFIX = 'bull';

/**
 * Connects to the queue's store. On a lost connection a producer fails fast, because the sweep
 * covers a lost nudge; a worker waits until the store is back.
 */
export async function openBackend(
  target: QueueTarget,
  role: Role,
  onError: (error: Error) => void,
): Promise<Backend> {
  if (target.redisUrl !== undefined) {
    const redis = await connectRedis(target.redisUrl, role, onError);
    try {
      await checkEviction(redis, onError);
    } catch (error) {
      redis.disconnect();
      throw error;
    }
    return {
      kind: 'redis',
      redis,
      prefix: prefixFor(redis, target.redisKeyPrefix ?? DEFAULT_PREFIX),
      close: async () => {
        redis.disconnect();
      },
    };
  }
  const pool = new Pool({
    connectionString: target.databaseUrl,
    // A nudge may be lost, so no job waits for the disk.
    options: '-c search_path=bullmq -c synchronous_commit=off',
    keepAlive: true,
    // A worker holds one client for LISTEN; the others run its short commands, for all lanes.
    max: role === 'worker' ? 6 : 2,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS[role],
    query_timeout: RESPONSE_TIMEOUT_MS[role],
  });
  pool.on('error', onError);
  try {
    await refuseOtherSchema(pool);
  } catch (error) {
    await pool.end();
    throw error;
  }
  // The same object: only the typings of its event listeners differ.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  const bullPool = pool as unknown as PgPool;
  return { kind: 'postgres', pool: bullPool, close: () => pool.end() };
}

/** A cluster keeps the keys of a queue on one node only if a part of them in braces is the same. */
const prefixFor = (redis: Redis | Cluster, prefix: string): string =>
  redis.isCluster ? `{${prefix}}` : prefix;

/**
 * Throws when the queue's tables are missing or outdated. BullMQ itself would look for them again
 * and again.
 */
async function refuseOtherSchema(pool: Pool): Promise<void> {
  const client = await pool.connect();
  try {
    const version = await assertSchemaCompatibility(client);
    if (version < LATEST_SCHEMA_VERSION) throw new SchemaMigrationRequiredError('bullmq');
  } catch (cause) {
    if (!(cause instanceof SchemaMigrationRequiredError)) throw cause;
    throw new Error("the queue's tables are not up to date: run `npm run migrate`", { cause });
  } finally {
    client.release();
  }
}
