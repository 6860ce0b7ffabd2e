import { randomUUID } from 'node:crypto';
import { openLaneQueue, openLaneWorker } from '@agent-wallet/queue';
import { Redis } from 'ioredis';
import { afterAll, describe, expect, test } from 'vitest';
import { hasRedisServer, startRedis } from '../support/queue/redis-server.ts';

const failOnError = (error: Error): never => {
  throw error;
};

/** A lost connection is part of the test. */
const onError = (): void => {};
const runWallet = async (): Promise<void> => {};

describe.skipIf(!hasRedisServer())('a Redis for the queue', () => {
  const stack = new AsyncDisposableStack();
  afterAll(() => stack.disposeAsync());
  test('has only keys with the prefix', async () => {
    const { url } = stack.use(await startRedis());
    const target = { databaseUrl: '', redisUrl: url, redisKeyPrefix: 'wallet-1' };
    const queue = await openLaneQueue(target, failOnError);
    await queue.nudge(randomUUID());
    expect(await queue.waiting()).toBe(1);
    await queue.close();
    const redis = new Redis(url);
    const keys = await redis.keys('*');
    redis.disconnect();
    expect(keys).toContain('wallet-1:lanes:wait');
    expect(keys.filter((key) => !key.startsWith('wallet-1:'))).toEqual([]);
  });

  test('must not drop keys: another maxmemory-policy is refused at start', async () => {
    const { url } = stack.use(await startRedis(['--maxmemory-policy', 'allkeys-lru']));
    await expect(openLaneQueue({ databaseUrl: '', redisUrl: url }, failOnError)).rejects.toThrow(
      'the maxmemory-policy of Redis is allkeys-lru, so it may drop jobs: set it to noeviction',
    );
  });

  test('is away when a process ends, which does not wait for it', async () => {
    const server = await startRedis();
    const target = { databaseUrl: '', redisUrl: server.url };
    const worker = await openLaneWorker({ target, concurrency: 4, runWallet, onError });
    const queue = await openLaneQueue(target, onError);
    await server[Symbol.asyncDispose]();
    await Promise.all([queue.close(), worker.close(100)]);
    await expect(queue.waiting()).rejects.toThrow(/closed|writeable/);
  });
});
