import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { pickFreePort } from '../../apps/local/src/free-port.ts';

const START_TIMEOUT_MS = 10_000;

export type RedisServer = AsyncDisposable & { readonly url: string };

/** Whether this machine has a redis-server to start. */
export function hasRedisServer(): boolean {
  return spawnSync('redis-server', ['--version']).status === 0;
}

/** A Redis in memory, on loopback, as BullMQ wants it. */
export async function startRedisServer(): Promise<RedisServer> {
  const port = await pickFreePort();
  const flags = ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no'];
  const server = spawn('redis-server', [...flags, '--maxmemory-policy', 'noeviction'], {
    stdio: 'ignore',
  });
  const url = `redis://127.0.0.1:${port}`;
  const stop = (): Promise<void> => end(server);
  try {
    await untilItAnswers(url);
  } catch (error) {
    await stop();
    throw error;
  }
  return { url, [Symbol.asyncDispose]: stop };
}

async function untilItAnswers(url: string): Promise<void> {
  const redis = new Redis(url, { retryStrategy: () => 50 });
  redis.on('error', () => undefined);
  try {
    const late = delay(START_TIMEOUT_MS, 'late' as const);
    if ((await Promise.race([redis.ping(), late])) === 'late') {
      throw new Error(`redis-server did not answer within ${START_TIMEOUT_MS / 1_000} s`);
    }
  } finally {
    redis.disconnect();
  }
}

async function end(server: ChildProcess): Promise<void> {
  if (server.exitCode !== null || server.signalCode !== null) return;
  const ended = once(server, 'exit');
  server.kill('SIGKILL');
  await ended;
}
