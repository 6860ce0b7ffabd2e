import { findRedis, startRedis } from './redis-server.ts';

/** A store for the queue, for tests that run on each of them. */
export type QueueBackend = {
  readonly name: string;
  /** The reason why this machine has none; null when it has one. */
  readonly missing: string | null;
  /**
   * Starts the store, to end with the stack. Returns a Redis URL; undefined when the queue is in
   * Postgres.
   */
  readonly open: (stack: AsyncDisposableStack) => Promise<string | undefined>;
};

const redis = findRedis();
if (redis.kind === 'none') {
  process.stdout.write(`skipped: tests with the queue on Redis, because ${redis.reason}\n`);
}

async function openRedis(stack: AsyncDisposableStack): Promise<string> {
  if (redis.kind !== 'given') return stack.use(await startRedis()).url;
  // One database of the given server for each concurrent test file.
  const url = new URL(redis.url);
  url.pathname = `/${process.env['VITEST_POOL_ID'] ?? '0'}`;
  return url.href;
}

export const REDIS_BACKEND = {
  name: 'Redis',
  missing: redis.kind === 'none' ? redis.reason : null,
  open: openRedis,
} satisfies QueueBackend;

export const QUEUE_BACKENDS: readonly QueueBackend[] = [
  { name: 'Postgres', missing: null, open: async () => undefined },
  REDIS_BACKEND,
];
