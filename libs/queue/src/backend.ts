import {
  assertSchemaCompatibility,
  createPostgresBackend,
  LATEST_SCHEMA_VERSION,
  type PgPool,
  SchemaMigrationRequiredError,
} from 'bullmq';
import { Redis } from 'ioredis';
import { Pool } from 'pg';

/** The queue's store: Redis or Valkey with `redisUrl`, else BullMQ's tables in Postgres. */
export type QueueTarget = {
  readonly databaseUrl: string;
  readonly redisUrl: string | undefined;
};

/** An open connection for BullMQ's classes. */
export type Backend =
  | { readonly kind: 'postgres'; readonly pool: PgPool; readonly close: () => Promise<void> }
  | { readonly kind: 'redis'; readonly redis: Redis; readonly close: () => Promise<void> };

export const LANE_QUEUE = 'lanes';
export { createPostgresBackend };

/**
 * How long a command may stay without a response before its connection counts as lost. A worker's
 * longest command waits 5 s for a job.
 */
export const RESPONSE_TIMEOUT_MS = { producer: 3_000, worker: 15_000 };

/** Also bounds the wait for a free connection, which the many lanes of a busy worker share. */
const CONNECT_TIMEOUT_MS = { producer: 5_000, worker: 10_000 };

/**
 * Connects to the queue's store. On a lost connection a producer fails fast, because the sweep
 * covers a lost nudge; a worker waits until the store is back.
 */
export async function openBackend(
  target: QueueTarget,
  role: 'producer' | 'worker',
  onError: (error: Error) => void,
): Promise<Backend> {
  if (target.redisUrl !== undefined) {
    const redis = new Redis(target.redisUrl, {
      maxRetriesPerRequest: role === 'worker' ? null : 1,
      enableOfflineQueue: role === 'worker',
      lazyConnect: true,
      socketTimeout: RESPONSE_TIMEOUT_MS[role],
    });
    redis.on('error', onError);
    await redis.connect();
    return {
      kind: 'redis',
      redis,
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
