import { chmodSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Keypair } from '@solana/web3.js';
import { Client } from 'pg';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { z } from 'zod';
import { createTestDatabase } from '../../../../tests/support/database/test-database.ts';
import { fakeProcesses } from '../../fixtures/fake-system.ts';
import { openKeptSystem } from './kept-system.ts';
import { startSystem } from './start-system.ts';
import type { System } from './system.ts';

const SECRETS = [
  'KEYSTORE_KEY',
  'FEE_PAYER_KEYS',
  'WEBHOOK_KEY',
  'API_KEY_PEPPER',
  'COOKIE_SECRET',
];
const selfSchema = z.object({ env: z.record(z.string(), z.string()) });

let dir: string;
let folder: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'kept-'));
  // Postgres may run as another user, who must be able to traverse it.
  chmodSync(dir, 0o711);
  folder = join(dir, 'kept');
});
afterEach(() => rmSync(dir, { recursive: true }));

async function startKept(): Promise<System> {
  const keep = openKeptSystem(folder);
  const system = await startSystem({ keep, processes: fakeProcesses, fsync: false });
  keep.begun();
  return system;
}

async function secretsOf(system: System): Promise<Readonly<Record<string, string | undefined>>> {
  const { processes } = system.urls;
  const found: Record<string, string | undefined> = {};
  for (const url of [processes['tx-worker'], processes['confirm-worker'], processes['api']]) {
    const { env } = selfSchema.parse(await (await fetch(`${url}/self`)).json());
    for (const name of SECRETS) found[name] ??= env[name];
  }
  return found;
}

async function query(databaseUrl: string, text: string): Promise<unknown[]> {
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(text)).rows;
  } finally {
    await client.end();
  }
}

async function rpc(system: System, method: string, params: readonly unknown[]): Promise<unknown> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
  const headers = { 'content-type': 'application/json' };
  const response = await fetch(system.urls.rpc, { method: 'POST', headers, body });
  return z.object({ result: z.unknown() }).parse(await response.json()).result;
}

const LOGINS = "select rolname from pg_roles where rolname ~ '_[0-9a-f]{12}$'";

test('a kept system goes on with its chain, its database and its keys', async () => {
  const owner = Keypair.generate().publicKey;
  const first = await startKept();
  await first.faucet.sol(owner, 3_000_000);
  await query(first.databaseUrl, 'create table remembered as select 7 as value');
  const genesis = await rpc(first, 'getGenesisHash', []);
  const secrets = await secretsOf(first);
  expect(Object.keys(secrets).toSorted()).toEqual(SECRETS.toSorted());
  await first.stop();
  expect(statSync(join(folder, 'keys.json')).mode & 0o777).toBe(0o600);

  const second = await startKept();
  expect(await rpc(second, 'getGenesisHash', [])).toBe(genesis);
  expect(
    await rpc(second, 'getBalance', [owner.toBase58(), { commitment: 'confirmed' }]),
  ).toMatchObject({ value: 3_000_000 });
  expect(await query(second.databaseUrl, 'select value from remembered')).toEqual([{ value: 7 }]);
  expect(await secretsOf(second)).toEqual(secrets);
  // The logins of the first start are gone: only those of this one are there.
  expect(await query(second.databaseUrl, LOGINS)).toHaveLength(5);
  await second.stop();
});

test('what a first start that failed has left behind is not continued', () => {
  const failed = openKeptSystem(folder);
  writeFileSync(failed.chainFile, 'half a chain');
  expect(failed.isNew).toBe(true);
  const next = openKeptSystem(folder);
  expect(next.isNew).toBe(true);
  expect(() => statSync(next.chainFile)).toThrow('ENOENT');
  next.begun();
  expect(openKeptSystem(folder)).toMatchObject({ isNew: false, env: next.env });
});

test('a database of a chain that is gone gets a sentence that says so and what to do', async () => {
  await using database = await createTestDatabase();
  await query(
    database.url,
    `insert into deployment (genesis_hash, program_id, usdc_mint)
     values ('4uhcVJyU9pJkvQyS88uRDiswHXSCkY3zQawwpjk2NsNY', 'program', 'mint')`,
  );
  const start = startSystem({ databaseUrl: database.url, processes: fakeProcesses });
  await expect(start).rejects.toThrow(/belongs to a chain that is gone.*npm start -- --keep/);
});
