import { randomBytes } from 'node:crypto';
import { sql } from 'slonik';
import { expect, test } from 'vitest';
import { useTestDatabase } from '../../../../tests/support/database/test-database.ts';
import { createCopyCount } from './count-copies.ts';
import { createPostgresStore, forgetFullBuckets } from './postgres-store.ts';
import { createSharedBuckets } from './shared-buckets.ts';

const { db } = await useTestDatabase();
const take = createPostgresStore(db);
const newKey = (): string => randomBytes(16).toString('hex');
/** Nothing is added while a test lasts. */
const RATE = { perSecond: 1e-6, burst: 10 };

const passTime = (seconds: number) =>
  db.query(sql.unsafe`
    update token_bucket set filled_at = filled_at - ${seconds} * interval '1 second',
      full_at = full_at - ${seconds} * interval '1 second'
  `);

test('whole tokens are granted while there are some, to each key apart', async () => {
  const [one, two] = [newKey(), newKey()];
  const requests = [
    { key: one, wanted: 4 },
    { key: two, wanted: 11 },
  ];
  const [first, second] = await take(RATE, requests);
  expect(first).toMatchObject({ granted: 4, left: 6 });
  expect(second).toMatchObject({ granted: 10, left: 0 });
  const [rest, none] = await take(RATE, requests.toReversed());
  expect(rest?.granted).toBe(0);
  expect(none?.granted).toBe(4);
  expect((await take(RATE, [{ key: one, wanted: 4 }]))[0]?.granted).toBe(2);
});

test('a bucket fills with time up to its burst', async () => {
  const request = [{ key: newKey(), wanted: 10 }];
  const rate = { perSecond: 2, burst: 10 };
  await take(rate, request);
  await passTime(3);
  expect((await take(rate, request))[0]?.granted).toBe(6);
  await passTime(1_000);
  expect((await take(rate, request))[0]?.granted).toBe(10);
});

test('two copies that ask at the same time get no token twice', async () => {
  const key = newKey();
  const grants = await Promise.all(
    Array.from({ length: 20 }, () => take(RATE, [{ key, wanted: 1 }])),
  );
  expect(grants.flat().filter(({ granted }) => granted > 0)).toHaveLength(10);
});

test('the limit holds over two copies', async () => {
  const limit = { name: 'requests', perSecond: 1e-6, burst: 40 };
  const store = {
    take,
    copies: () => 2,
    nowMs: () => performance.now(),
    onFault: (error: unknown) => expect.fail(String(error)),
  };
  const copies = [createSharedBuckets(limit, store), createSharedBuckets(limit, store)];
  let allowed = 0;
  for (let n = 0; n < 100; n += 1) {
    const quota = await copies[n % 2]?.('a');
    if (quota?.retryAfterSeconds === null) allowed += 1;
  }
  expect(allowed).toBe(40);
});

test('full buckets are deleted, others stay', async () => {
  const [full, empty] = [newKey(), newKey()];
  await take({ perSecond: 1_000, burst: 10 }, [{ key: full, wanted: 10 }]);
  await take(RATE, [{ key: empty, wanted: 10 }]);
  await passTime(60);
  await forgetFullBuckets(db, 100);
  const left = await db.anyFirst(sql.unsafe`select encode(key, 'hex') from token_bucket`);
  expect(left).toContain(empty);
  expect(left).not.toContain(full);
});

test('copies count each other until they leave, or are gone for long', async () => {
  const [one, two, three] = [createCopyCount(db), createCopyCount(db), createCopyCount(db)];
  await one.pass();
  expect(one.copies()).toBe(1);
  await two.pass();
  await three.pass();
  await one.pass();
  expect([one.copies(), two.copies(), three.copies()]).toEqual([3, 2, 3]);
  await two.leave();
  await one.pass();
  expect(one.copies()).toBe(2);
  await db.query(sql.unsafe`update api_copy set seen_at = now() - interval '11 seconds'`);
  await one.pass();
  expect(one.copies()).toBe(1);
});
