import { sql } from 'slonik';
import { afterEach, expect, test } from 'vitest';
import { startSilentProxy } from '../../../tests/support/database/silent-proxy.ts';
import { useTestDatabase } from '../../../tests/support/database/test-database.ts';
import { waitUntil } from '../../../tests/support/wait-until.ts';
import { createListener, type Listener } from './listener.ts';

const { url, db } = await useTestDatabase();

const opened: Listener[] = [];
afterEach(async () => {
  await Promise.all(opened.splice(0).map((listener) => listener.close()));
});

/** Opens a listener of `channel` and records its callbacks. */
function listen(
  channel: string,
  more: { readonly url?: string; readonly checkEveryMs?: number } = {},
): { connects: number; payloads: string[]; close(): Promise<void> } {
  const received = { connects: 0, payloads: [] as string[], close: () => listener.close() };
  const listener = createListener({
    url,
    channel,
    onNotify: (payload) => received.payloads.push(payload),
    onConnected: () => {
      received.connects += 1;
    },
    ...more,
  });
  opened.push(listener);
  return received;
}

const notify = (channel: string, payload: string): Promise<unknown> =>
  db.query(sql.unsafe`select pg_notify(${channel}, ${payload})`);

async function terminateListeners(): Promise<number> {
  const ended = await db.any(sql.unsafe`
    select pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and query like 'listen %'
  `);
  return ended.length;
}

test('every notification of the channel arrives in order, and none of another', async () => {
  const received = listen('one channel');
  await waitUntil('the connection', () => received.connects === 1);
  await notify('another', 'x');
  for (const payload of ['a', 'b', '']) await notify('one channel', payload);
  await waitUntil('three notifications', () => received.payloads.length === 3);
  expect(received.payloads).toEqual(['a', 'b', '']);
});

test('a terminated connection is replaced, reported, and receives again', async () => {
  const received = listen('lost');
  await waitUntil('the connection', () => received.connects === 1);
  expect(await terminateListeners()).toBe(1);
  await waitUntil('the second connection', () => received.connects === 2);
  await notify('lost', 'after');
  await waitUntil('a notification', () => received.payloads.length === 1);
});

test('a connection on which nothing comes back is replaced', async () => {
  await using proxy = await startSilentProxy(Number(new URL(url).port));
  const through = Object.assign(new URL(url), { host: `127.0.0.1:${proxy.port}` }).href;
  const received = listen('silent', { url: through, checkEveryMs: 100 });
  await waitUntil('the connection', () => received.connects === 1);
  proxy.isSilent = true;
  await notify('silent', 'lost');
  await waitUntil('the end of the connection', () => proxy.clients() === 0);
  proxy.isSilent = false;
  await waitUntil('the second connection', () => received.connects >= 2);
  await notify('silent', 'after');
  await waitUntil('a notification', () => received.payloads.length > 0);
  expect(received.payloads).toEqual(['after']);
  await received.close();
});

test('a listener closed before a reconnect stays closed', async () => {
  const received = listen('closing');
  await waitUntil('the connection', () => received.connects === 1);
  await terminateListeners();
  await received.close();
  await received.close();
  expect(await terminateListeners()).toBe(0);
  expect(received.connects).toBe(1);
});

test('a listener closed during its first connect leaves no connection', async () => {
  const received = listen('short');
  await received.close();
  const connected = sql.unsafe`
    select 1 from pg_stat_activity where datname = current_database() and query like 'listen %'
  `;
  await waitUntil('no listener', async () => (await db.any(connected)).length === 0);
  await notify('short', 'nobody hears');
  expect(received.payloads).toEqual([]);
});

test('an unreachable server does not throw', async () => {
  let heard = 0;
  const listener = createListener({
    url: 'postgres://postgres@127.0.0.1:1/x',
    channel: 'nowhere',
    onNotify: () => (heard += 1),
  });
  await listener.close();
  expect(heard).toBe(0);
});
