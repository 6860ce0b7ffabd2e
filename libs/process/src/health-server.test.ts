import { Counter, Registry } from 'prom-client';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type HealthServer, serveHealth } from './health-server.ts';

let server: HealthServer;
let checkReady: () => Promise<void> = async () => {};
const registry = new Registry();
beforeAll(async () => {
  new Counter({ name: 'things_total', help: 'Things', registers: [registry] }).inc(3);
  server = await serveHealth({
    host: '127.0.0.1',
    port: 0,
    registry,
    checkReady: () => checkReady(),
  });
});
afterAll(() => server.close());

const get = (path: string): Promise<Response> => fetch(`http://127.0.0.1:${server.port}${path}`);

test('a running process is live, ready or not', async () => {
  checkReady = () => Promise.reject(new Error('away'));
  const answer = await get('/livez');
  expect([answer.status, await answer.json()]).toEqual([200, { status: 'ok' }]);
});

test('a process is ready when its check passes', async () => {
  checkReady = async () => {};
  const answer = await get('/readyz?verbose=1');
  expect([answer.status, await answer.json()]).toEqual([200, { status: 'ready' }]);
});

test('a failed check is reported with its reason, and the process recovers', async () => {
  checkReady = () => Promise.reject(new Error('the chain does not answer'));
  const answer = await get('/readyz');
  expect([answer.status, await answer.json()]).toEqual([
    503,
    { status: 'not ready', reason: 'the chain does not answer' },
  ]);
  checkReady = async () => {};
  expect((await get('/readyz')).status).toBe(200);
});

test('the metrics are served in the registry’s format', async () => {
  const answer = await get('/metrics');
  expect(answer.status).toBe(200);
  expect(answer.headers.get('content-type')).toBe(registry.contentType);
  expect(await answer.text()).toContain('things_total 3');
});

test.each(['/', '/metrics/x', '/v1/spend/transfer', '//livez'])('%s is not found', async (path) => {
  expect((await get(path)).status).toBe(404);
});

test('a port in use is an error', async () => {
  const second = serveHealth({ host: '127.0.0.1', port: server.port, registry, checkReady });
  await expect(second).rejects.toMatchObject({ code: 'EADDRINUSE' });
});

test('it closes while a client keeps its connection open', async () => {
  const other = await serveHealth({ host: '127.0.0.1', port: 0, registry, checkReady });
  await (await fetch(`http://127.0.0.1:${other.port}/livez`)).text();
  await other.close();
  await expect(fetch(`http://127.0.0.1:${other.port}/livez`)).rejects.toThrow('fetch failed');
});
