import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pickFreePort } from '@agent-wallet/local-system/process/free-port.ts';
import { waitUntil } from '../wait-until.ts';

const BINARY = 'redis-server';

/** The source of a Redis for tests, or the reason why there is none. */
export type RedisSource =
  | { readonly kind: 'given'; readonly url: string }
  | { readonly kind: 'binary' }
  | { readonly kind: 'none'; readonly reason: string };

/** `REDIS_URL`, else a `redis-server` on PATH, else none. */
export function findRedis(): RedisSource {
  const given = process.env['REDIS_URL'];
  if (given) return { kind: 'given', url: given };
  if (hasRedisServer()) return { kind: 'binary' };
  return { kind: 'none', reason: `REDIS_URL is not set and there is no ${BINARY} on PATH` };
}

/** Whether this machine has a `redis-server`. */
export const hasRedisServer = (): boolean => spawnSync(BINARY, ['--version']).status === 0;

export type RedisServer = AsyncDisposable & { readonly url: string; readonly port: number };

/** Starts a Redis on a free port with BullMQ's settings and without persistence. */
export async function startRedis(more: readonly string[] = []): Promise<RedisServer> {
  const rules = ['--appendonly', 'no', '--save', '', '--maxmemory-policy', 'noeviction'];
  return startRedisProcess(() => [...rules, ...more]);
}

/**
 * Starts a `redis-server` on a free port in an empty folder of its own, with the arguments that
 * `argumentsFor` returns for that folder.
 */
export async function startRedisProcess(
  argumentsFor: (dir: string) => readonly string[],
): Promise<RedisServer> {
  const dir = await mkdtemp(join(tmpdir(), 'agent-wallet-redis-'));
  const port = await pickFreePort();
  const place = ['--port', String(port), '--bind', '127.0.0.1', '--dir', dir];
  const server = spawn(BINARY, [...argumentsFor(dir), ...place], { stdio: 'ignore' });
  const ended = once(server, 'exit');
  let stopping: Promise<void> | undefined;
  const stop = async (): Promise<void> => {
    server.kill('SIGKILL');
    await ended;
    await rm(dir, { recursive: true, force: true });
  };
  try {
    await waitUntil('Redis', () => canConnect(port));
  } catch (error) {
    await stop();
    throw error;
  }
  const url = `redis://127.0.0.1:${port}`;
  return { url, port, [Symbol.asyncDispose]: () => (stopping ??= stop()) };
}

function canConnect(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}
