import { createHash } from 'node:crypto';
import { forgetAnswers } from '@agent-wallet/spend';
import { sql } from 'slonik';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { z } from 'zod';
import { createSweepAnswers } from '../../src/service/sweep-answers.ts';
import {
  answered,
  call,
  offerOf,
  openService,
  readSpend,
  serve,
  type ServiceWorld,
} from '../fixtures/service-world.ts';
import { settleOnNudge } from '../fixtures/spends-of-wallet.ts';
import { expectRefused, startTestApp, type TestApp } from '../fixtures/test-app.ts';

let t: TestApp;
beforeAll(async () => {
  t = await startTestApp();
  settleOnNudge(t);
});
afterAll(() => t[Symbol.asyncDispose]());

const keptRow = z.object({
  state: z.string(),
  status: z.number().nullable(),
  headers: z.record(z.string(), z.string()).nullable(),
  body: z.instanceof(Buffer).nullable(),
  sha256: z.instanceof(Buffer).nullable(),
  requirement: z.string(),
  tries: z.number(),
});
const readKept = (spendId: string) =>
  t.db.one(sql.type(keptRow)`
    select state, upstream_status as status, upstream_headers as headers, upstream_body as body,
      upstream_body_sha256 as sha256, requirement, tries
    from delivery where spend_id = ${spendId}::uuid
  `);

/** Buys something under the key, and lets so many days pass since. */
async function buy(w: ServiceWorld, key: string, days: number): Promise<string> {
  await call(w, {}, { 'idempotency-key': key });
  const spendId = await t.db.oneFirst(sql.type(z.object({ spendId: z.string() }))`
    select spend_id as "spendId" from spend
    where session_id = ${w.sessionId}::uuid and idempotency_key = ${key}
  `);
  await t.db.query(sql.unsafe`
    update delivery
    set created_at = created_at - ${days} * interval '1 day', try_at = null,
      delivered_at = delivered_at - ${days} * interval '1 day'
    where spend_id = ${spendId}::uuid
  `);
  return spendId;
}

it('keeps a delivered body for the configured days, then only its hash and the record', async () => {
  const w = await openService(t);
  const seen = serve(t, offerOf(w), answered(200, { rain: 1 }));
  const [old, young] = [await buy(w, 'old', 31), await buy(w, 'young', 29)];
  const before = await readKept(old);
  const requested = seen.length;

  const sweep = createSweepAnswers({ db: t.db, keptDays: 30 });
  expect(await sweep()).toBeGreaterThan(60_000);
  const sha256 = createHash('sha256').update('{"rain":1}').digest();
  expect(await readKept(old)).toEqual({ ...before, body: null, sha256 });
  expect(await readKept(young)).toMatchObject({ body: Buffer.from('{"rain":1}'), sha256: null });

  const replay = await call(w, {}, { 'idempotency-key': 'old' });
  expectRefused(replay, 404, 'answer not found', {
    code: 'ANSWER_NOT_FOUND',
    retryable: false,
    spend_id: old,
  });
  expect(replay.headers['x-tx-signature']).toBe(replay.json()['tx_signature']);
  expect(await readSpend(w, old)).toMatchObject({
    status: 'confirmed',
    upstream: { status: 200, body: null, delivery: 'delivered' },
  });
  const other = await call(w, {}, { 'idempotency-key': 'young' });
  expect([other.statusCode, other.json()]).toEqual([200, { rain: 1 }]);
  // Neither paid nor called again.
  expect(seen).toHaveLength(requested);
});

it('never deletes the answer of a payment without delivery', async () => {
  const w = await openService(t);
  serve(t, offerOf(w), answered(402, { error: 'not enough' }));
  const spendId = await buy(w, 'claim', 4_000);
  const before = await readKept(spendId);
  expect(before).toMatchObject({ state: 'paid_not_delivered', status: 402 });
  await forgetAnswers(t.db, { keptDays: 7, limit: 100 });
  expect(await readKept(spendId)).toEqual(before);
});

it('runs again soon when rows are left over', async () => {
  const w = await openService(t);
  serve(t, offerOf(w), answered(200, { rain: 2 }));
  for (const key of ['a', 'b', 'c']) await buy(w, key, 100);
  expect(await forgetAnswers(t.db, { keptDays: 30, limit: 2 })).toBe(2);
  expect(await forgetAnswers(t.db, { keptDays: 30, limit: 2 })).toBe(1);
  expect(await forgetAnswers(t.db, { keptDays: 30, limit: 2 })).toBe(0);
});
