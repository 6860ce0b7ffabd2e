import { join } from 'node:path';
import { readIntake } from '@agent-wallet/db';
import { Client } from 'pg';
import { sql } from 'slonik';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { appProcesses } from '@agent-wallet/local-system/system/app-processes.ts';
import { startSystem, type System } from '@agent-wallet/local-system/system/start-system.ts';
import { createLaneFixture } from '../support/system/lane-fixture.ts';
import { createTestDatabase, type TestDatabase } from '../support/database/test-database.ts';
import { waitUntil } from '../support/wait-until.ts';

const WORKERS = ['tx-worker', 'confirm-worker'];
const stack = new AsyncDisposableStack();
let database: TestDatabase;
let system: System;

beforeAll(async () => {
  database = stack.use(await createTestDatabase());
  system = stack.use(
    await startSystem({
      databaseUrl: database.url,
      dataDir: join(inject('systemsDir'), `${process.pid}-restore`),
      // An expiry is then provable within seconds.
      slotTimeMs: 50,
      processes: (surroundings) => appProcesses(surroundings).filter(({ role }) => role !== 'api'),
    }),
  );
});
afterAll(() => stack.disposeAsync());

/** Runs SQL beside the test's database, to which nothing may be connected meanwhile. */
async function asAdmin(...statements: readonly string[]): Promise<void> {
  const url = new URL(database.url);
  url.pathname = '/postgres';
  const admin = new Client({ connectionString: url.href });
  await admin.connect();
  try {
    for (const statement of statements) await admin.query(statement);
  } finally {
    await admin.end();
  }
}

async function whileStopped(work: () => Promise<void>): Promise<void> {
  for (const worker of WORKERS) await system.kill(worker, 'SIGTERM');
  await work();
  for (const worker of WORKERS) await system.restart(worker);
}

test('a spend that a restored database lost is not paid again when it is requested again', async () => {
  const name = new URL(database.url).pathname.slice(1);
  const backup = `${name}_backup`;
  stack.defer(() => asAdmin(`drop database if exists ${backup}`));
  const before = await createLaneFixture(system);
  const wallet = await before.createWallet(1_000n);
  const recipient = await before.createRecipient();
  const session = await before.createSession(wallet, { recipients: [recipient] });
  const first = await before.request(wallet, session, { recipient, amount: 1n, key: 'first' });
  await before.settled([first]);
  await before[Symbol.asyncDispose]();
  await whileStopped(() => asAdmin(`create database ${backup} template ${name}`));

  const between = await createLaneFixture(system);
  const forgotten = await between.request(wallet, session, {
    recipient,
    amount: 10n,
    key: 'second',
  });
  const [paid] = await between.settled([forgotten]);
  await between[Symbol.asyncDispose]();
  await whileStopped(() =>
    asAdmin(`drop database ${name}`, `create database ${name} template ${backup}`),
  );

  const after = await createLaneFixture(system);
  stack.use(after);
  await waitUntil('the forgotten landing to be on record', () =>
    after.db.exists(sql.unsafe`
      select 1 from unexplained where kind = 'event_without_spend'
    `),
  );
  // Its id follows from its key, so the chain's own event tells that it was paid.
  const again = await after.request(wallet, session, { recipient, amount: 10n, key: 'second' });
  expect(again).toBe(forgotten);
  const [spend] = await after.settled([again]);
  expect(spend).toMatchObject({ txSignature: paid?.txSignature, attempt: 0 });

  // The counter is behind the chain's: nothing is signed until what is missing has been sorted out.
  const later = await after.request(wallet, session, { recipient, amount: 100n, key: 'third' });
  await waitUntil('the restore to be noticed', async () => {
    const intake = await readIntake(after.db);
    return intake !== null && !intake.isOpen;
  });
  const [last] = await after.settled([later], 60_000);
  expect(last).toMatchObject({ spendSeq: 3n, attempt: 1, code: null });
  expect(await readIntake(after.db)).toMatchObject({ isOpen: true });
  expect(await after.balance(wallet.vaultUsdcAta)).toBe(1_000n - 1n - 10n - 100n);
}, 120_000);
