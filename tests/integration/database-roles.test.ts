import { createDatabase, type Database } from '@agent-wallet/db';
import { openLaneQueue } from '@agent-wallet/queue';
import { createResendNow, holdResends, raiseBroadcasts } from '@agent-wallet/spend';
import { Client, DatabaseError } from 'pg';
import { sql } from 'slonik';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  createDatabaseLogins,
  type LoginOwner,
} from '@agent-wallet/local-system/postgres/database-logins.ts';
import { migrateDatabase } from '@agent-wallet/migration';
import { runAsAdmin } from '../support/database/template-database.ts';
import { createTestDatabase } from '../support/database/test-database.ts';

const DENIED = '42501';
const OWNERS = ['api', 'tx-worker', 'confirm-worker', 'operator', 'auditor'] as const;
const PROCESSES = ['api', 'tx-worker', 'confirm-worker'] as const;

const stack = new AsyncDisposableStack();
const clients = new Map<LoginOwner, Client>();
let ownerUrl: string;
let logins: Awaited<ReturnType<typeof createDatabaseLogins>>;
beforeAll(async () => {
  const database = stack.use(await createTestDatabase());
  ownerUrl = database.url;
  await migrateDatabase(ownerUrl);
  logins = await createDatabaseLogins(ownerUrl);
  stack.defer(() => logins.drop());
  for (const who of OWNERS) {
    const client = new Client({ connectionString: logins.urls[who] });
    await client.connect();
    stack.defer(() => client.end());
    clients.set(who, client);
  }
});
afterAll(() => stack.disposeAsync());

/** The SQLSTATE with which a statement failed; 'done' when it did not. It changes nothing. */
async function stateOf(who: LoginOwner, statement: string): Promise<string> {
  const client = clients.get(who);
  if (client === undefined) throw new Error('connected in beforeAll');
  await client.query('begin');
  try {
    await client.query(statement);
    return 'done';
  } catch (error) {
    return error instanceof DatabaseError ? String(error.code) : String(error);
  } finally {
    await client.query('rollback');
  }
}

describe.each(OWNERS)('as %s', (who) => {
  test.each([
    'create table public.mine ()',
    'create temporary table mine ()',
    'create schema mine',
    'create function public.mine() returns int language sql as $$ select 1 $$',
    'create table bullmq.mine ()',
    'alter table audit disable trigger all',
    'alter table spend add column mine text',
    'drop table delivery',
    'truncate spend',
    'create role mine',
    'grant agent_wallet_tx_worker to current_user',
    "set session_replication_role = 'replica'",
    `copy audit to program 'cat'`,
    `select pg_read_file('postgresql.conf')`,
    'select * from migration',
  ])('%s is denied', async (statement) => {
    expect(await stateOf(who, statement)).toBe(DENIED);
  });

  test.each([
    `update audit set reason = 'another'`,
    'delete from audit',
    'truncate audit',
    `update unexplained set detail = 'another'`,
    'delete from unexplained',
    'delete from spend',
    'delete from attempt',
    'delete from wallet',
    'delete from session',
    'update attempt set wire = wire',
    'update spend set amount = amount',
    'update spend set recipient = recipient',
    'update deployment set genesis_hash = genesis_hash',
  ])('%s is denied', async (statement) => {
    expect(await stateOf(who, statement)).toBe(DENIED);
  });
});

describe('the secret of a webhook', () => {
  test('is sealed by the api, which cannot read one', async () => {
    expect(await stateOf('api', 'select public_key from webhook_key')).toBe('done');
    expect(await stateOf('api', 'select sealed from webhook_secret')).toBe(DENIED);
    expect(await stateOf('api', 'select sealed_private_key from webhook_key')).toBe(DENIED);
    expect(await stateOf('api', `update webhook_key set public_key = ''`)).toBe(DENIED);
  });

  test.each(['tx-worker', 'operator', 'auditor'] as const)('is nothing to %s', async (who) => {
    expect(await stateOf(who, 'select secret_id from webhook_secret')).toBe(DENIED);
    expect(await stateOf(who, 'select url from webhook_endpoint')).toBe(DENIED);
  });
});

describe('a sealed key', () => {
  test.each(['api', 'confirm-worker', 'operator', 'auditor'] as const)(
    'cannot be read by %s',
    async (who) => {
      expect(await stateOf(who, 'select sealed from session_key')).toBe(DENIED);
      expect(await stateOf(who, 'select * from session_key')).toBe(DENIED);
      const key = `insert into session_key (pubkey, sealed, key_version) values ('p', '', 1)`;
      expect(await stateOf(who, key)).toBe(DENIED);
      expect(await stateOf(who, 'update session_key set sealed = sealed')).toBe(DENIED);
      expect(await stateOf(who, 'select wrapped from data_key')).toBe(DENIED);
    },
  );

  test('is readable by the tx-worker, which cannot grant it', async () => {
    expect(await stateOf('tx-worker', 'select sealed from session_key')).toBe('done');
    expect(await stateOf('tx-worker', 'update session_key set session_id = null')).toBe(DENIED);
    expect(await stateOf('tx-worker', 'update session_key set sealed = sealed')).toBe('done');
    expect(await stateOf('tx-worker', 'update data_key set wrapped = wrapped')).toBe(DENIED);
    expect(await stateOf('tx-worker', 'delete from data_key')).toBe(DENIED);
  });
});

test.each([
  ['api', 'set role agent_wallet_tx_worker'],
  ['tx-worker', 'set role agent_wallet_api'],
  ['api', 'update deployment set shut_at_height = null'],
  ['api', 'update deployment set identity = identity'],
  ['api', 'update deployment set keystore_refused_at = null'],
  ['confirm-worker', 'update deployment set keystore_refused_at = now()'],
  ['api', `update spend set tx_signature = 'x'`],
  ['api', 'update session set next_seq = next_seq'],
  ['api', 'update lane set fence = fence'],
  ['api', 'update leadership set fence = fence'],
  ['tx-worker', 'delete from leadership'],
  ['api', 'insert into program_event select from program_event'],
  ['api', 'insert into service (slug) select slug from service'],
  ['api', `insert into spend (spend_id, status) values (gen_random_uuid(), 'confirmed')`],
  ['api', 'update bullmq.job set name = name'],
  ['api', 'delete from bullmq.job'],
  ['tx-worker', 'insert into spend (spend_id) values (gen_random_uuid())'],
  ['tx-worker', 'select key_hash from api_key'],
  ['tx-worker', 'select nonce from sign_in_nonce'],
  ['tx-worker', 'select owner from owner_session'],
  ['tx-worker', 'select upstream_body from delivery'],
  ['tx-worker', 'update deployment set identity = identity'],
  ['tx-worker', 'update session set status = status'],
  ['confirm-worker', 'select key_hash from api_key'],
  ['confirm-worker', 'insert into attempt (spend_id) values (gen_random_uuid())'],
  ['confirm-worker', 'insert into spend (spend_id) values (gen_random_uuid())'],
  ['operator', 'select amount from spend'],
  ['operator', 'update service set pay_to = pay_to'],
  ['auditor', 'insert into audit select from audit'],
  ['auditor', 'select upstream_body from delivery'],
] as const)('%s: %s is denied', async (who, statement) => {
  expect(await stateOf(who, statement)).toBe(DENIED);
});

test.each([
  ['api', 'select keystore_fits()'],
  ['tx-worker', 'update deployment set keystore_refused_at = null'],
] as const)('%s: %s is allowed', async (who, statement) => {
  expect(await stateOf(who, statement)).toBe('done');
});

describe.each(PROCESSES)('what %s needs at its start', (who) => {
  test('it can compare the deployment, see whether the database is open, and nudge', async () => {
    const db: Database = await createDatabase({ url: logins.urls[who], poolSize: 1 });
    const faults: Error[] = [];
    const queue = await openLaneQueue(
      { databaseUrl: logins.urls[who], redisUrl: undefined },
      (error) => faults.push(error),
    );
    try {
      expect(await db.oneFirst(sql.unsafe`select is_open() as open`)).toBe(true);
      await queue.nudge('5f2a7f4e-0000-4000-8000-000000000001');
      expect(await queue.waiting()).toBeGreaterThan(0);
      expect(faults).toEqual([]);
    } finally {
      await queue.close();
      await db.end();
    }
  });
});

test.each(['tx-worker', 'confirm-worker'] as const)('%s can lead a task', async (who) => {
  expect(
    await stateOf(
      who,
      `insert into leadership (task, fence, holder, lease_until) values ('t', 1, 'h', now())
       on conflict (task) do update set fence = leadership.fence + 1`,
    ),
  ).toBe('done');
});

test('the tx-worker can count a re-send, request one and hold one', async () => {
  const db = await createDatabase({ url: logins.urls['tx-worker'], poolSize: 1 });
  const attempt = { spendId: '5f2a7f4e-0000-4000-8000-000000000002', attemptNo: 1 };
  try {
    expect(await raiseBroadcasts(db, { ...attempt, attempt: 1 })).toBeNull();
    await createResendNow(db)(attempt);
    await holdResends(db, [attempt]);
  } finally {
    await db.end();
  }
});

test('a login without the right to create roles gets one sentence', async () => {
  await expect(createDatabaseLogins(logins.urls.operator)).rejects.toThrow('it needs CREATEROLE');
});

test('a grant made by hand is revoked by the next migration', async () => {
  await runAsAdmin(ownerUrl, 'grant select on session_key to agent_wallet_api');
  expect(await stateOf('api', 'select sealed from session_key')).toBe('done');
  await migrateDatabase(ownerUrl);
  expect(await stateOf('api', 'select sealed from session_key')).toBe(DENIED);
});

test('several databases of one cluster are migrated at once', async () => {
  await using others = new AsyncDisposableStack();
  const databases = await Promise.all([1, 2, 3].map(() => createTestDatabase()));
  for (const database of databases) others.use(database);
  await Promise.all([...databases, ...databases].map(({ url }) => migrateDatabase(url)));
  expect(await stateOf('tx-worker', 'select sealed from session_key')).toBe('done');
});
