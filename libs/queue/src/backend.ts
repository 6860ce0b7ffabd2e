import {
  assertSchemaCompatibility,
  createPostgresBackend,
  LATEST_SCHEMA_VERSION,
  type PgPool,
  SchemaMigrationRequiredError,
} from 'bullmq';
import { Redis } from 'ioredis';
import { Pool } from 'pg';

/** Where the queue lives: Redis or Valkey when an URL is given, else BullMQ's tables in Postgres. */
export type QueueTarget = {
  readonly databaseUrl: string;
  readonly redisUrl: string | undefined;
};

/** An open connection for BullMQ classes, and the way to close it. */
export type Backend =
  | { readonly kind: 'postgres'; readonly pool: PgPool; readonly close: () => Promise<void> }
  | { readonly kind: 'redis'; readonly redis: Redis; readonly close: () => Promise<void> };

export const LANE_QUEUE = 'lanes';
export { createPostgresBackend };

/**
 * Connects to the queue's store. `role` decides what a lost connection means: a producer fails
 * fast, because the sweeper covers a lost nudge; a worker waits for the store to come back.
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
    options: '-c search_path=bullmq',
    keepAlive: true,
    // A worker keeps one client for LISTEN; the rest run its short commands.
    max: role === 'worker' ? 6 : 4,
    connectionTimeoutMillis: 5_000,
  });
  pool.on('error', onError);
  try {
    await refuseOtherSchema(pool);
  } catch (error) {
    await pool.end();
    throw error;
  }
  // The same object: the two typings describe its event listeners in different ways.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  const bullPool = pool as unknown as PgPool;
  return { kind: 'postgres', pool: bullPool, close: () => pool.end() };
}

/**
 * Tables that are not there, or older than this release wants, end the process here: BullMQ itself
 * would ask for them again and again.
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
