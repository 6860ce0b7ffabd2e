import { execFile } from 'node:child_process';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { readIntake } from '@agent-wallet/db';
import { appProcesses } from '@agent-wallet/local-system/system/app-processes.ts';
import { startSystem, type System } from '@agent-wallet/local-system/system/start-system.ts';
import { sql } from 'slonik';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { z } from 'zod';
import { readBlock } from '../docs/read-blocks.ts';
import { runShell } from '../docs/run-shell.ts';
import { findPostgresTools } from '../support/database/postgres-tools.ts';
import { runAsAdmin } from '../support/database/template-database.ts';
import { createTestDatabase, type TestDatabase } from '../support/database/test-database.ts';
import { createLaneFixture } from '../support/system/lane-fixture.ts';
import { waitUntil } from '../support/wait-until.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const MAIN = join(ROOT, 'apps/cli/src/main.ts');
const RUNBOOK = 'docs/runbook.md';
const run = promisify(execFile);
const stack = new AsyncDisposableStack();
let database: TestDatabase;
let system: System;
/** Like a clone, with a `.local` of its own. */
let folder: string;
beforeAll(async () => {
  database = stack.use(await createTestDatabase());
  system = stack.use(
    await startSystem({
      databaseUrl: database.url,
      dataDir: join(inject('systemsDir'), `${process.pid}-backup`),
      // An expiry is then provable within seconds.
      slotTimeMs: 50,
      processes: (surroundings) => appProcesses(surroundings).filter(({ role }) => role !== 'api'),
    }),
  );
  folder = join(inject('systemsDir'), `backup-${process.pid}`);
  await mkdir(folder, { recursive: true });
  const names = readdirSync(ROOT).filter((name) => name !== '.local' && name !== '.git');
  await Promise.all(names.map((name) => symlink(join(ROOT, name), join(folder, name))));
});
afterAll(() => stack.disposeAsync());

const urlOf = (name: string): string =>
  Object.assign(new URL(database.url), { pathname: name }).href;

/** Runs the block of commands that follows a heading of the runbook. */
async function runBlock(heading: string, env: NodeJS.ProcessEnv): Promise<void> {
  const code = readBlock(RUNBOOK, 'bash', heading);
  const step = { kind: 'shell', line: 0, code, output: null } as const;
  const [result] = await runShell([step], { folder, env });
  expect(result).toMatchObject({ failures: '' });
}

type Ended = { readonly code: number; readonly stdout: string };

/** The command as an operator runs it. */
async function agentWallet(databaseUrl: string, args: readonly string[]): Promise<Ended> {
  const env = {
    PATH: process.env['PATH'],
    DATABASE_URL: databaseUrl,
    RPC_URL: system.urls.rpc,
    PROGRAM_ID: system.programId,
    USDC_MINT: system.usdcMint,
  };
  const ended = z.object({ code: z.number(), stdout: z.string(), stderr: z.string() });
  return run(process.execPath, [MAIN, ...args], { env }).then(
    ({ stdout }) => ({ code: 0, stdout }),
    (error: unknown) => ended.parse(error),
  );
}

const databaseUrls = (): System['databaseUrls'] => system.databaseUrls;

test('a dump that is restored as the runbook says loses time and no money', async (context) => {
  const version = await runAsAdmin<{ major: number }>(
    database.url,
    `select current_setting('server_version_num')::int / 10000 as major`,
  );
  const tools = await findPostgresTools(version[0]?.major ?? 0);
  if (tools.kind === 'missing') {
    console.log(`backup: skipped, because ${tools.reason}`);
    context.skip();
    return;
  }
  const path = [dirname(process.execPath), tools.path].join(':');
  const name = new URL(database.url).pathname.slice(1);
  const restored = `${name}_restored`;
  const env = {
    PATH: path,
    HOME: process.env['HOME'],
    OWNER_URL: database.url,
    RESTORED_URL: urlOf(restored),
  };

  const before = await createLaneFixture(system);
  const wallet = await before.createWallet(1_000n);
  const recipient = await before.createRecipient();
  const session = await before.createSession(wallet, { recipients: [recipient] });
  const first = await before.request(wallet, session, { recipient, amount: 1n, key: 'first' });
  await before.settled([first]);
  const [oldHeads, newHeads] = [join(folder, 'old.json'), join(folder, 'new.json')];
  await writeFile(oldHeads, (await agentWallet(databaseUrls().auditor, ['audit', 'heads'])).stdout);

  // Spends are signed and settled while the database is dumped.
  const during = Array.from({ length: 20 }, () =>
    before.request(wallet, session, { recipient, amount: 1n }),
  );
  await runBlock('### Take a dump', env);
  const paid = await Promise.all(during);
  await before.settled(paid);
  const forgotten = await before.request(wallet, session, { recipient, amount: 10n, key: 'lost' });
  const [lost] = await before.settled([forgotten]);
  await writeFile(newHeads, (await agentWallet(databaseUrls().auditor, ['audit', 'heads'])).stdout);
  await before[Symbol.asyncDispose]();

  for (const worker of ['tx-worker', 'confirm-worker']) await system.kill(worker, 'SIGTERM');
  const adminUrl = urlOf('postgres');
  await runAsAdmin(adminUrl, `create database ${restored}`);
  await runBlock('### Restore a dump', env);
  await runAsAdmin(adminUrl, `drop database ${name} with (force)`);
  await runAsAdmin(adminUrl, `alter database ${restored} rename to ${name}`);

  // A dump in the same cluster looks like the same database: the operator says that it is not.
  const told = await agentWallet(databaseUrls().operator, ['ops', 'restored']);
  expect(told).toMatchObject({ code: 0, stdout: expect.stringContaining('Intake is closed') });
  for (const worker of ['tx-worker', 'confirm-worker']) await system.restart(worker);

  await using after = await createLaneFixture(system);
  await waitUntil(
    'intake to be open again',
    async () => (await readIntake(after.db))?.isOpen === true,
    { timeoutMs: 60_000 },
  );
  expect(
    await after.db.exists(sql.unsafe`
      select 1 from unexplained where kind = 'event_without_spend' and spend_id = ${forgotten}::uuid
    `),
  ).toBe(true);
  // The chain wins: the forgotten payment is found under its key, and paid once.
  const again = await after.request(wallet, session, { recipient, amount: 10n, key: 'lost' });
  expect(again).toBe(forgotten);
  const [found] = await after.settled([again], 30_000);
  expect(found).toMatchObject({ txSignature: lost?.txSignature, attempt: 0 });
  const next = await after.request(wallet, session, { recipient, amount: 100n });
  await after.settled([next], 60_000);
  expect(await after.balance(wallet.vaultUsdcAta)).toBe(1_000n - 1n - 20n - 10n - 100n);

  const against = (file: string): Promise<Ended> =>
    agentWallet(databaseUrls().auditor, ['audit', 'verify', '--against', file]);
  expect((await against(newHeads)).stdout).toContain(`wallet ${wallet.walletId}: log row`);
  expect((await against(newHeads)).code).toBe(1);
  expect((await against(oldHeads)).stdout).not.toContain('is not that of');
}, 240_000);
