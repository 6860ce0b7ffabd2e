import { randomBytes } from 'node:crypto';
import { SchemaValidationError, sql } from 'slonik';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { startSilentProxy } from '../../../tests/support/database/silent-proxy.ts';
import { useTestDatabase } from '../../../tests/support/database/test-database.ts';
import { createDatabase } from './database.ts';
import { isDatabaseFault, isSilenceFault } from './faults.ts';

const brokenIdle: Error[] = [];
const { url, db } = await useTestDatabase({ onConnectionError: (error) => brokenIdle.push(error) });

describe('a value from the database', () => {
  test.each<[string, ReturnType<typeof sql.unsafe>, unknown]>([
    ['int8 is exact', sql.unsafe`select 9007199254740993::int8 as value`, 9_007_199_254_740_993n],
    ['int4 is a number', sql.unsafe`select 7 as value`, 7],
    [
      'numeric holds a whole u64',
      sql.unsafe`select 18446744073709551615::numeric(20, 0) as value`,
      18_446_744_073_709_551_615n,
    ],
    [
      'a sum of int8 is exact',
      sql.unsafe`select sum(v) as value from unnest(array[9007199254740993, 1]::int8[]) v`,
      9_007_199_254_740_994n,
    ],
    [
      'timestamptz is a moment at any offset',
      sql.unsafe`select '2026-01-02 03:04:05.678+02'::timestamptz as value`,
      new Date('2026-01-02T01:04:05.678Z'),
    ],
    ['null is null', sql.unsafe`select null::int8 as value`, null],
    ['bytea is bytes', sql.unsafe`select '\\x00ff'::bytea as value`, Buffer.from([0, 255])],
  ])('%s', async (_case, query, value) => {
    expect(await db.oneFirst(query)).toEqual(value);
  });

  test('a money column with a fraction throws, and is never rounded', async () => {
    await expect(db.oneFirst(sql.unsafe`select 1.5::numeric as value`)).rejects.toThrow('1.5');
  });

  test('a row that does not match its schema throws', async () => {
    const query = sql.type(z.object({ value: z.number() }))`select 'seven' as value`;
    await expect(db.one(query)).rejects.toBeInstanceOf(SchemaValidationError);
  });

  test('bytes and u64 amounts come back unchanged', async () => {
    const bytes = randomBytes(64);
    const amount = 2n ** 64n - 1n;
    const row = await db.one(
      sql.type(z.object({ bytes: z.instanceof(Buffer), amount: z.bigint() }))`
        select ${sql.binary(bytes)}::bytea as bytes, ${amount.toString()}::numeric as amount`,
    );
    expect(row).toEqual({ bytes, amount });
  });
});

test('a failing SQL transaction runs its callback once and is rolled back', async () => {
  let runs = 0;
  const failing = db.transaction(async (tx) => {
    runs += 1;
    await tx.query(sql.unsafe`insert into sign_in_nonce values (repeat('a', 32), now())`);
    await tx.query(sql.unsafe`do $$ begin raise sqlstate '40001'; end $$`);
  });
  await expect(failing).rejects.toSatisfy(isDatabaseFault);
  expect(runs).toBe(1);
  expect(await db.any(sql.unsafe`select 1 from sign_in_nonce`)).toEqual([]);
});

describe('a query', () => {
  const prepared = sql.type(z.object({ statement: z.string() }))`
    select statement from pg_prepared_statements
  `;

  test('is prepared once for a connection, whatever its values', async () => {
    const one = await createDatabase({ url, poolSize: 1 });
    for (const value of [1, 2, 3]) await one.query(sql.unsafe`select ${value}::int4`);
    const texts = await one.anyFirst(prepared);
    await one.end();
    expect(texts.filter((text) => text.includes('int4'))).toEqual(['select $1::int4']);
  });

  test('keeps to an index, however small the table was when it was prepared', async () => {
    const one = await createDatabase({ url: `${url}?options=-c%20work_mem=2MB`, poolSize: 1 });
    const planned = sql.unsafe`explain select 1 from migration where name = ${'x'}`;
    expect(await one.anyFirst(planned)).toContainEqual(expect.stringContaining('Index'));
    expect(await one.oneFirst(sql.unsafe`select current_setting('work_mem')`)).toBe('2MB');
    await one.end();
  });

  test('that could not be prepared is prepared when it runs again', async () => {
    const one = await createDatabase({ url, poolSize: 1 });
    const early = sql.unsafe`select * from created_later`;
    await expect(one.query(early)).rejects.toThrow('created_later');
    await one.query(sql.unsafe`create table created_later (value int4)`);
    expect(await one.any(early)).toEqual([]);
    await one.end();
  });

  test('is not prepared where connections are shared', async () => {
    const pooled = await createDatabase({ url, poolSize: 1, prepare: false });
    await pooled.query(sql.unsafe`select 1`);
    const texts = await pooled.anyFirst(prepared);
    await pooled.end();
    expect(texts).toEqual([]);
  });
});

async function faultOf(run: () => Promise<unknown>): Promise<unknown> {
  return run().then(
    () => 'no fault',
    (error: unknown) => error,
  );
}

describe('a fault of the database', () => {
  test('is an unreachable server', async () => {
    const away = { url: 'postgres://postgres@127.0.0.1:1/x', poolSize: 1 };
    expect(await faultOf(() => createDatabase(away))).toSatisfy(isDatabaseFault);
  });

  test('is a terminated backend, and the pool goes on', async () => {
    const fault = await faultOf(() =>
      db.query(sql.unsafe`select pg_terminate_backend(pg_backend_pid())`),
    );
    expect(fault).toSatisfy(isDatabaseFault);
    expect(await db.oneFirst(sql.unsafe`select 1 as one`)).toBe(1);
  });

  test('is a statement timeout', async () => {
    const hasty = await createDatabase({ url, poolSize: 1, statementTimeoutMs: 50 });
    expect(await faultOf(() => hasty.query(sql.unsafe`select pg_sleep(5)`))).toSatisfy(
      isDatabaseFault,
    );
    await hasty.end();
  });

  test('is a connection on which nothing comes back, and the pool goes on without it', async () => {
    await using proxy = await startSilentProxy(Number(new URL(url).port));
    const through = Object.assign(new URL(url), { host: `127.0.0.1:${proxy.port}` }).href;
    const options = { url: through, poolSize: 2, responseTimeoutMs: 300 };
    const patient = await createDatabase(options);
    const one = sql.unsafe`select 1 as one`;
    const both = sql.unsafe`select pg_sleep(0.1)`;
    await Promise.all([patient.query(both), patient.query(both)]);
    proxy.isSilent = true;
    const faults = await Promise.all([
      faultOf(() => patient.query(one)),
      faultOf(() => patient.transaction((tx) => tx.query(one))),
    ]);
    proxy.isSilent = false;
    for (const fault of faults) {
      expect(fault).toSatisfy(isDatabaseFault);
      expect(fault).toSatisfy(isSilenceFault);
    }
    expect(await patient.oneFirst(one)).toBe(1);
    await patient.end();
  });

  test('is a pool whose connections are all taken by queries without a response', async () => {
    await using proxy = await startSilentProxy(Number(new URL(url).port));
    const through = Object.assign(new URL(url), { host: `127.0.0.1:${proxy.port}` }).href;
    const options = { url: through, poolSize: 1, connectionTimeoutMs: 1_000 };
    const busy = await createDatabase({ ...options, responseTimeoutMs: 3_000 });
    const write = sql.unsafe`insert into sign_in_nonce values (repeat('b', 32), now())`;
    await busy.query(sql.unsafe`select 1`);
    proxy.isSilent = true;
    const silent = faultOf(() => busy.query(sql.unsafe`select 1`));
    const waiting = await Promise.all([
      faultOf(() => busy.query(write)),
      faultOf(() => busy.transaction((tx) => tx.query(write))),
    ]);
    proxy.isSilent = false;
    for (const fault of waiting) {
      expect(fault).toSatisfy(isDatabaseFault);
      expect(fault).toSatisfy(isSilenceFault);
      expect(fault).toMatchObject({ message: 'no database connection was free within 1000 ms' });
    }
    expect(await silent).toSatisfy(isDatabaseFault);
    await busy.end();
    // By a pool of its own: on a busy machine a connection takes longer than `busy` waits.
    expect(await db.exists(sql.unsafe`select from sign_in_nonce where nonce ~ '^b'`)).toBe(false);
  });

  test.each(['40001', '40P01', '53300', '55P03', '57P01', '57P03', '08006'])(
    'is the state %s',
    (code) => {
      const wrapped = new Error('outer', { cause: Object.assign(new Error('inner'), { code }) });
      expect(isDatabaseFault(wrapped)).toBe(true);
      expect(isSilenceFault(wrapped)).toBe(false);
    },
  );

  test.each<[string, unknown]>([
    ['a violated constraint', Object.assign(new Error('unique'), { code: '23505' })],
    ['a programming error', new TypeError('x is undefined')],
    ['a thrown value that is no error', 'ECONNREFUSED'],
    ['nothing', null],
  ])('is not %s', (_case, error) => {
    expect(isDatabaseFault(error)).toBe(false);
  });

  test('is not a query that violates a constraint', async () => {
    const query = sql.unsafe`insert into wallet (owner, vault_pda, vault_usdc_ata, status)
      values ('o', 'v', 'a', 'nonsense')`;
    expect(await faultOf(() => db.query(query))).not.toSatisfy(isDatabaseFault);
  });
});
