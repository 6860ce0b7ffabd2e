import { Registry } from 'prom-client';
import { sql } from 'slonik';
import { expect, onTestFinished, test } from 'vitest';
import { startSilentProxy } from '../../../tests/support/database/silent-proxy.ts';
import { useTestDatabase } from '../../../tests/support/database/test-database.ts';
import { scrapeRegistry } from '../../../tests/support/http/scrape.ts';
import { createLatch } from '../../../tests/support/latch.ts';
import { waitUntil } from '../../../tests/support/wait-until.ts';
import { createDatabase, type Database } from './database.ts';

const { url } = await useTestDatabase();

type Opened = { readonly db: Database; readonly registry: Registry };

async function openDatabase(): Promise<Opened> {
  const registry = new Registry();
  const db = await createDatabase({ url, poolSize: 2, connectionTimeoutMs: 200, registry });
  onTestFinished(() => db.end());
  return { db, registry };
}

const CONNECTIONS = 'agent_wallet_database_connections';
const FAILURES = 'agent_wallet_database_connect_failures_total';

test('a scrape shows the connections in use and idle, and the calls that wait', async () => {
  const { db, registry } = await openDatabase();
  const held = createLatch('two connections');
  const end = createLatch('the end');
  let holders = 0;
  const holding = [1, 2].map(() =>
    db.connect(async (connection) => {
      await connection.query(sql.unsafe`select 1`);
      holders += 1;
      if (holders === 2) held.open();
      await end.wait();
    }),
  );
  await held.wait();
  const waiting = db.query(sql.unsafe`select 1`);
  waiting.catch(() => {});
  const busy = await scrapeRegistry(registry);
  expect(busy.valueOf(`${CONNECTIONS}{state="in_use"}`)).toBe(2);
  expect(busy.valueOf(`${CONNECTIONS}{state="idle"}`)).toBe(0);
  expect(busy.valueOf('agent_wallet_database_waiting_calls')).toBe(1);
  expect(busy.valueOf('agent_wallet_database_pool_size')).toBe(2);
  await expect(waiting).rejects.toThrow('no database connection was free');
  end.open();
  await Promise.all(holding);
  await waitUntil('idle connections', () => db.state().idleConnections === 2);
  const idle = await scrapeRegistry(registry);
  expect(idle.valueOf(`${CONNECTIONS}{state="in_use"}`)).toBe(0);
  expect(idle.valueOf(`${FAILURES}{why="wait_timeout"}`)).toBe(1);
  expect(idle.valueOf(`${FAILURES}{why="connect"}`)).toBe(0);
});

test('a connection that cannot be opened is counted', async () => {
  const proxied = new URL(url);
  const proxy = await startSilentProxy(Number(proxied.port));
  proxied.host = `127.0.0.1:${proxy.port}`;
  const registry = new Registry();
  const db = await createDatabase({ url: proxied.href, poolSize: 2, registry });
  onTestFinished(() => db.end());
  await proxy[Symbol.asyncDispose]();
  // The first call may still have a connection of before.
  for (let calls = 0; calls < 2; calls += 1) {
    await expect(db.query(sql.unsafe`select 1`)).rejects.toThrow(/terminated|ECONNREFUSED/);
  }
  const scraped = await scrapeRegistry(registry);
  expect(scraped.valueOf(`${FAILURES}{why="connect"}`)).toBeGreaterThan(0);
});
