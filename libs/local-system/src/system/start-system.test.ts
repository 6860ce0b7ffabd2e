import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, rmSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { Client } from 'pg';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { createLatch } from '../../../../tests/support/latch.ts';
import { createTestDatabase } from '../../../../tests/support/database/test-database.ts';
import { waitUntil } from '../../../../tests/support/wait-until.ts';
import { fakeProcesses } from '../../fixtures/fake-system.ts';
import { startSystem } from './start-system.ts';

const selfSchema = z.object({ pid: z.int(), env: z.record(z.string(), z.string()) });

async function readSelf(url: string | undefined): Promise<z.infer<typeof selfSchema>> {
  return selfSchema.parse(await (await fetch(`${url}/self`)).json());
}

async function answers(url: string): Promise<boolean> {
  try {
    await (await fetch(url)).text();
    return true;
  } catch {
    return false;
  }
}

async function canConnect(connectionString: string): Promise<boolean> {
  const client = new Client({ connectionString });
  // A server that shuts down may end the connection after it was accepted.
  client.on('error', () => undefined);
  try {
    await client.connect();
    return true;
  } catch {
    return false;
  } finally {
    await client.end().catch(() => undefined);
  }
}

test.concurrent('a system gives each process what it needs, and survives kill, restart, pause and resume', async () => {
  await using database = await createTestDatabase();
  const death = createLatch<string>('the death of confirm-worker');
  const system = await startSystem({
    databaseUrl: database.url,
    processes: fakeProcesses,
    workers: { tx: 2 },
    env: { 'tx-worker': { LANE_DEPTH: '7' } },
    rpcUrlFor: (name, chainRpcUrl) => (name === 'tx-worker-2' ? 'http://proxy' : chainRpcUrl),
    onDeath: (name) => death.open(name),
  });
  const { metrics } = system.urls;
  const api = await readSelf(system.urls.api);
  const tx = await readSelf(metrics['tx-worker']);
  const confirm = await readSelf(metrics['confirm-worker']);

  const secrets = [
    'COOKIE_SECRET',
    'API_KEY_PEPPER',
    'KEYSTORE_KEY',
    'FEE_PAYER_KEYS',
    'WEBHOOK_KEY',
  ];
  const secretsOf = ({ env }: { env: object }): string[] => secrets.filter((name) => name in env);
  expect(secretsOf(api)).toEqual(['COOKIE_SECRET', 'API_KEY_PEPPER']);
  expect(secretsOf(tx)).toEqual(['KEYSTORE_KEY', 'FEE_PAYER_KEYS']);
  expect(secretsOf(confirm)).toEqual(['WEBHOOK_KEY']);
  const logins = system.databaseUrls;
  expect(tx.env).toMatchObject({ DATABASE_URL: logins['tx-worker'], LANE_DEPTH: '7' });
  expect(api.env['DATABASE_URL']).toBe(logins.api);
  expect(confirm.env['DATABASE_URL']).toBe(logins['confirm-worker']);
  expect(new Set([database.url, ...Object.values(logins)]).size).toBe(6);
  expect((await readSelf(metrics['tx-worker-2'])).env['RPC_URL']).toBe('http://proxy');
  expect(confirm.env['RPC_URL']).toBe(system.urls.rpc);
  expect([api, tx, confirm].map(({ env }) => env['PUBLIC_RPC_URL'])).toEqual([
    system.urls.rpc,
    undefined,
    undefined,
  ]);

  await system.kill('tx-worker');
  await system.restart('tx-worker');
  expect((await readSelf(metrics['tx-worker'])).pid).not.toBe(tx.pid);
  system.pause('api');
  const late = readSelf(system.urls.api);
  system.resume('api');
  expect((await late).pid).toBe(api.pid);

  process.kill(confirm.pid, 'SIGKILL');
  expect(await death.wait()).toBe('confirm-worker');
  const { logsDir } = system;
  await system.stop();
  expect(await answers(system.urls.api)).toBe(false);
  expect(await answers(system.urls.rpc)).toBe(false);
  expect(existsSync(logsDir)).toBe(false);
});

test.concurrent('a process that ends while it starts is one sentence with the end of its log', async () => {
  await using database = await createTestDatabase();
  const start = startSystem({
    databaseUrl: database.url,
    processes: fakeProcesses,
    env: { 'tx-worker': { FAKE_DEATH: 'no keys here' } },
  });
  await expect(start).rejects.toThrow(
    /^tx-worker ended unexpectedly with code 3\. The end of its log, [^\n]*:\n {2}\| no keys here$/,
  );
});

test.concurrent('a process that was killed is started again, until it has ended five times', async () => {
  await using database = await createTestDatabase();
  const death = createLatch<string>('the end of the restarts');
  const lines: string[] = [];
  await using system = await startSystem({
    databaseUrl: database.url,
    processes: fakeProcesses,
    restarts: true,
    log: (line) => lines.push(line),
    onDeath: (name, sentence) => death.open(`${name}: ${sentence}`),
  });
  const url = system.urls.metrics['tx-worker'];
  const firstLine = lines.length;
  const restarted: string[] = [];
  for (let pid = system.pid('tx-worker'); restarted.length < 4;) {
    process.kill(pid, 'SIGKILL');
    await waitUntil('another process', () => system.pid('tx-worker') !== pid);
    pid = system.pid('tx-worker');
    await waitUntil('it to respond', () => answers(`${url}/self`));
    expect((await readSelf(url)).pid).toBe(pid);
    restarted.push(lines.slice(firstLine).at(-1) ?? '');
  }
  expect(restarted).toEqual(
    [0.2, 0.4, 0.8, 1.6].map(
      (pause) => `tx-worker was killed (SIGKILL); it starts again in ${pause} s`,
    ),
  );
  // A process that was stopped on purpose is not restarted.
  await system.kill('confirm-worker');

  process.kill(system.pid('tx-worker'), 'SIGKILL');
  expect(await death.wait()).toMatch(/^tx-worker: tx-worker was killed \(SIGKILL\), .*too often/);
  expect(lines).toHaveLength(firstLine + 4);
});

test.concurrent('a process that cannot be started again is reported, and the system can still be stopped', async () => {
  await using database = await createTestDatabase();
  const death = createLatch<string>('the failed restart');
  await using system = await startSystem({
    databaseUrl: database.url,
    processes: fakeProcesses,
    restarts: true,
    onDeath: (name, sentence) => death.open(`${name}: ${sentence}`),
  });
  rmSync(system.logsDir, { recursive: true });
  process.kill(system.pid('tx-worker'), 'SIGKILL');
  expect(await death.wait()).toMatch(/^tx-worker: tx-worker could not be started again: .*ENOENT/);
});

test.concurrent('a process that has never been ready is not started again', async () => {
  await using database = await createTestDatabase();
  const lines: string[] = [];
  const start = startSystem({
    databaseUrl: database.url,
    processes: fakeProcesses,
    restarts: true,
    log: (line) => lines.push(line),
    env: { 'tx-worker': { FAKE_DEATH: 'no keys here' } },
  });
  await expect(start).rejects.toThrow(/^tx-worker ended unexpectedly with code 3\./);
  expect(lines.filter((line) => line.includes('starts again'))).toEqual([]);
});

test.concurrent('the faucet explains an invalid request and pays a valid one', async () => {
  await using database = await createTestDatabase();
  await using system = await startSystem({
    databaseUrl: database.url,
    slotTimeMs: 100,
    processes: () => [],
  });
  const post = (body: string): Promise<Response> =>
    fetch(system.urls.faucet, { method: 'POST', body });
  const refused = await post('{"address":"x"}');
  expect(refused.status).toBe(400);
  expect(await refused.json()).toEqual({ error: 'address must be 32 bytes in base58' });
  expect((await post('x'.repeat(5_000))).status).toBe(413);
  expect((await fetch(system.urls.faucet)).status).toBe(405);
  expect((await post(`{"address":"${system.usdcMint}","lamports":1000000}`)).status).toBe(200);
});

test.concurrent('kill -9 of the supervisor leaves no process behind', async () => {
  const entry = fileURLToPath(new URL('../../fixtures/supervisor.ts', import.meta.url));
  const supervisor = spawn(process.execPath, [entry], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [line]: unknown[] = await once(createInterface(supervisor.stdout), 'line');
  const { urls, databaseUrl } = z
    .object({
      urls: z.object({
        api: z.string(),
        rpc: z.string(),
        metrics: z.record(z.string(), z.string()),
      }),
      databaseUrl: z.string(),
    })
    .parse(JSON.parse(String(line)));
  expect(await canConnect(databaseUrl)).toBe(true);
  supervisor.kill('SIGKILL');
  const all = [urls.api, urls.rpc, ...Object.values(urls.metrics)];
  await waitUntil('every process gone', async () => {
    const alive = await Promise.all([...all.map(answers), canConnect(databaseUrl)]);
    return !alive.includes(true);
  });
});
