import { Client } from 'pg';
import { expect, test } from 'vitest';
import { createLatch } from '../latch.ts';
import { createTestDatabase } from './test-database.ts';
import { waitUntil } from '../wait-until.ts';

async function countTables(client: Client): Promise<string | undefined> {
  const { rows } = await client.query<{ count: string }>(
    "select count(*) from pg_tables where schemaname = 'public'",
  );
  return rows[0]?.count;
}

test('each test database is migrated and separate from the others', async () => {
  await using one = await createTestDatabase();
  await using two = await createTestDatabase();
  const first = new Client({ connectionString: one.url });
  const second = new Client({ connectionString: two.url });
  await Promise.all([first.connect(), second.connect()]);
  const before = await countTables(second);
  expect(Number(before)).toBeGreaterThan(3);
  await first.query('create table mine ()');
  expect(await countTables(second)).toBe(before);
  await Promise.all([first.end(), second.end()]);
});

test('a connection that is left open is reported when the database is dropped', async () => {
  const database = await createTestDatabase();
  const client = new Client({ connectionString: database.url, application_name: 'forgotten' });
  client.on('error', () => undefined);
  await client.connect();
  await expect(database.drop()).rejects.toThrow(
    "Still connected to the test's database: forgotten",
  );
});

test('a wait that times out names the awaited condition', async () => {
  await expect(waitUntil('the moon', () => false, { timeoutMs: 30 })).rejects.toThrow(
    'Waited 30 ms in vain for: the moon',
  );
  await expect(createLatch('the sun').wait(10)).rejects.toThrow('in vain for: the sun');
});
