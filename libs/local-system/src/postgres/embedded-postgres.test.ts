import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { afterAll, expect, test } from 'vitest';
import { type EmbeddedPostgres, startEmbeddedPostgres } from './embedded-postgres.ts';

const dataDir = mkdtempSync(join(tmpdir(), 'postgres-test-'));
const logFile = join(dataDir, 'postgres.log');
afterAll(() => rmSync(dataDir, { recursive: true, force: true }));

async function request(postgres: EmbeddedPostgres, question: string): Promise<unknown> {
  const client = new Client({ connectionString: postgres.url });
  await client.connect();
  try {
    const { rows } = await client.query<Record<string, unknown>>(question);
    return Object.values(rows[0] ?? {})[0];
  } finally {
    await client.end();
  }
}

test('Postgres starts, flushes to disk unless told otherwise, and leaves nothing when stopped', async () => {
  const postgres = await startEmbeddedPostgres({ dataDir, logFile, fsync: true });
  expect(await request(postgres, 'show fsync')).toBe('on');
  expect(await request(postgres, 'show listen_addresses')).toBe('127.0.0.1');
  expect(await request(postgres, 'show max_connections')).toBe('500');
  await postgres.stop();
  expect(readdirSync(dataDir)).toEqual(['postgres.log']);
  await expect(request(postgres, 'select 1')).rejects.toThrow('ECONNREFUSED');
});

test('a start after a killed one has an empty database of its own', async () => {
  const first = await startEmbeddedPostgres({ dataDir, logFile, fsync: false });
  await request(first, 'create table left_behind ()');
  first.process.signal('SIGKILL');
  await first.process.exited;
  const second = await startEmbeddedPostgres({ dataDir, logFile, fsync: false });
  expect(await request(second, "select to_regclass('left_behind')")).toBeNull();
  await second.stop();
});

test('a wrong password is refused', async () => {
  const postgres = await startEmbeddedPostgres({ dataDir, logFile, fsync: false });
  const url = new URL(postgres.url);
  url.password = 'guessed';
  await expect(request({ ...postgres, url: url.href }, 'select 1')).rejects.toThrow('password');
  await postgres.stop();
});

test('clusters are copies of one, and each has a password of its own', async () => {
  const [first, second] = await Promise.all(
    [1, 2].map(() => startEmbeddedPostgres({ dataDir, logFile, fsync: false })),
  );
  if (first === undefined || second === undefined) throw new Error('two were started');
  const identify = 'select system_identifier from pg_control_system()';
  expect(await request(second, identify)).toBe(await request(first, identify));
  const { password } = new URL(first.url);
  const mixed = Object.assign(new URL(second.url), { password });
  await expect(request({ ...second, url: mixed.href }, 'select 1')).rejects.toThrow('password');
  await Promise.all([first.stop(), second.stop()]);
});
