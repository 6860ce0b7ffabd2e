import { findRedis, startRedis } from './redis-server.ts';

/** A store that the queue can live in, for tests that run on each of them. */
export type QueueBackend = {
  readonly name: string;
  /** Why there is none on this machine; null: there is one. */
  readonly missing: string | null;
  /** Starts what it takes, to end with the stack. A Redis URL; undefined: the queue is in Postgres. */
  readonly open: (stack: AsyncDisposableStack) => Promise<string | undefined>;
};

const redis = findRedis();
if (redis.kind === 'none') {
  process.stdout.write(`skipped: tests with the queue on Redis, because ${redis.reason}\n`);
}

async function openRedis(stack: AsyncDisposableStack): Promise<string> {
  if (redis.kind !== 'given') return stack.use(await startRedis()).url;
  // One database of the given server for each of the test files that run at once.
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
