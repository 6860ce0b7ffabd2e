import { isPending } from '@agent-wallet/spend';
import { sql } from 'slonik';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { sessionState } from '../fixtures/fake-chain.ts';
import {
  countSpends,
  newAddress,
  openSession,
  settleQueued,
  startTestApp,
  type TestApp,
  transfer,
} from '../fixtures/test-app.ts';

let t: TestApp;
beforeAll(async () => {
  t = await startTestApp();
});
afterAll(() => t[Symbol.asyncDispose]());
afterEach(() => {
  t.onNudge = async () => {};
  t.chain.isDown = false;
});

const confirmAll = () => {
  t.onNudge = (sessionId) => settleQueued(t, sessionId);
};
const auditRow = z.object({ reason: z.string().nullable(), decision: z.string() });
const denials = (walletId: string) =>
  t.db.any(sql.type(auditRow)`
    select reason, decision from audit where wallet_id = ${walletId}::uuid order by seq
  `);

describe('POST /v1/spend/transfer', () => {
  it('answers 200 with the signature once the row is confirmed', async () => {
    const s = await openSession(t);
    confirmAll();
    const answer = await transfer(t, s.apiKey, { recipient: s.recipient, amount: 1000 });
    expect(answer.statusCode).toBe(200);
    expect(answer.json()).toMatchObject({
      status: 'confirmed',
      tx_signature: expect.stringMatching(/^sig/),
    });
    expect(t.nudged.at(-1)).toBe(s.sessionId);
    expect(answer.headers['x-request-id']).toBeTruthy();
  });

  it.each([
    [{ amount: 0 }, /^amount must be a positive number in base units/],
    [{ amount: -5 }, /^amount must be a positive number in base units/],
    [{ amount: 1.5 }, /^amount must be a positive number in base units/],
    [{ amount: '1e3' }, /^amount must be a positive number in base units/],
    [{ amount: 2 ** 53 }, /^amount must be .* send it as a string/],
    [{ amount: '18446744073709551616' }, /^amount must be .* at most 18446744073709551615/],
    [{ amount: null }, /^amount must be/],
    [{ amount: undefined }, /^amount must be/],
    [{ amount: true }, /^amount must be/],
    [{ recipient: 'not-base58-0OIl' }, /^recipient must be a base58 address/],
    [{ recipient: '1111' }, /^recipient must be a base58 address/],
    [{ recipient: 7 }, /^recipient must be a base58 address/],
    [{ recipient: undefined }, /^recipient must be a base58 address/],
  ])('refuses %j with 400 and queues nothing', async (fields, text) => {
    const s = await openSession(t);
    const answer = await transfer(t, s.apiKey, { recipient: s.recipient, amount: 1, ...fields });
    expect(answer.statusCode).toBe(400);
    expect(answer.json()).toMatchObject({
      error: expect.stringMatching(text),
      code: 'BAD_REQUEST',
      layer: 'off-chain',
      retryable: false,
    });
    expect(await countSpends(t, s.sessionId)).toBe(0);
    expect(await denials(s.walletId)).toEqual([]);
  });

  it.each([
    ['[1]', 400, 'body must be a JSON object'],
    ['null', 400, 'body must be a JSON object'],
    ['{"amount":', 400, 'body must be valid JSON'],
    ['{"__proto__":{"a":1},"amount":1}', 400, 'body must be valid JSON'],
    ['', 400, 'body must be a JSON object'],
    [`{"a":"${'x'.repeat(70_000)}"}`, 413, 'body too large'],
  ])('refuses the body %.20j with %i', async (payload, status, error) => {
    const s = await openSession(t);
    const answer = await t.app.inject({
      method: 'POST',
      url: '/v1/spend/transfer',
      headers: { authorization: `Bearer ${s.apiKey}`, 'content-type': 'application/json' },
      payload,
    });
    expect([answer.statusCode, answer.json().error]).toEqual([status, error]);
    expect(await countSpends(t, s.sessionId)).toBe(0);
  });

  it.each(['text/plain', 'application/x-www-form-urlencoded', 'application/xml', 'nonsense'])(
    'refuses the content type %s with 415',
    async (type) => {
      const s = await openSession(t);
      const answer = await t.app.inject({
        method: 'POST',
        url: '/v1/spend/transfer',
        headers: { authorization: `Bearer ${s.apiKey}`, 'content-type': type },
        payload: JSON.stringify({ recipient: s.recipient, amount: 1 }),
      });
      expect(answer.statusCode).toBe(415);
      expect(answer.json().error).toBe('content-type must be application/json');
    },
  );

  it('passes a refusal of the program on as 402 with its words', async () => {
    const s = await openSession(t);
    t.onNudge = (id) =>
      settleQueued(t, id, {
        code: 'RecipientNotAllowed',
        detail: 'custom program error: 0x1770: RecipientNotAllowed',
      });
    const answer = await transfer(t, s.apiKey, { recipient: newAddress(), amount: 1 });
    expect(answer.statusCode).toBe(402);
    expect(answer.json()).toMatchObject({
      error: 'on-chain submission failed',
      code: 'RecipientNotAllowed',
      layer: 'on-chain',
      retryable: false,
      detail: expect.stringContaining('RecipientNotAllowed'),
      remedy: expect.any(String),
    });
  });

  it('reserves nothing for a spend that the limits already doom', async () => {
    const s = await openSession(t);
    await transfer(t, s.apiKey, { recipient: newAddress(), amount: 7 }, { prefer: 'wait=0' });
    await transfer(t, s.apiKey, { recipient: s.recipient, amount: 8 }, { prefer: 'wait=0' });
    const rows = await t.db.any(sql.type(z.object({ reserved: z.bigint() }))`
      select reserved from spend where session_id = ${s.sessionId}::uuid order by accepted_no
    `);
    expect(rows.map((row) => row.reserved)).toEqual([0n, 8n]);
  });

  it('bounds the open spends with 429 and Retry-After, and writes no row', async () => {
    await using bounded = await startTestApp({ pendingLimits: { session: 1, wallet: 10 } });
    const s = await openSession(bounded);
    const ask = { recipient: s.recipient, amount: 5 };
    const wait = { prefer: 'respond-async' };
    expect((await transfer(bounded, s.apiKey, ask, wait)).statusCode).toBe(202);
    const answer = await transfer(bounded, s.apiKey, ask, wait);
    expect(answer.statusCode).toBe(429);
    expect(answer.headers['retry-after']).toBe('1');
    expect(answer.json()).toMatchObject({
      error: 'too many pending spends',
      code: 'TOO_MANY_PENDING',
      retryable: true,
    });
    expect(await countSpends(bounded, s.sessionId)).toBe(1);
  });

  it('tells with DailyCapExceeded when this amount fits again', async () => {
    const s = await openSession(t);
    const hour = BigInt(Math.floor(t.clock.nowMs / 3_600_000));
    const buckets = Array.from({ length: 25 }, () => 0n);
    buckets[Number(hour % 25n)] = 5_000_000n;
    t.chain.sessions.set(
      s.sessionPda,
      sessionState({
        recipients: [s.recipient],
        window: { buckets, lastSeen: hour * 3600n },
      }),
    );
    t.onNudge = (id) =>
      settleQueued(t, id, { code: 'DailyCapExceeded', detail: 'DailyCapExceeded' });
    const answer = await transfer(t, s.apiKey, { recipient: s.recipient, amount: 1 });
    expect(answer.statusCode).toBe(402);
    expect(answer.json().resets_at).toBe(Number((hour + 25n) * 3600n));
    expect(answer.json().retryable).toBe(true);
  });

  it('refuses more than the balance with 402, a deny row and no spend', async () => {
    const s = await openSession(t, 500n);
    const answer = await transfer(t, s.apiKey, { recipient: s.recipient, amount: 800 });
    expect(answer.statusCode).toBe(402);
    expect(answer.json()).toMatchObject({
      error: 'INSUFFICIENT_LIQUID',
      liquid: 500,
      amount: 800,
      deficit: 300,
      layer: 'off-chain',
    });
    expect(answer.json()).not.toHaveProperty('reserved');
    expect(await countSpends(t, s.sessionId)).toBe(0);
    expect(await denials(s.walletId)).toEqual([
      { reason: 'INSUFFICIENT_LIQUID', decision: 'deny' },
    ]);
  });

  it('waits for reserved money to come free, then refuses with what is reserved', async () => {
    const s = await openSession(t, 1000n);
    await transfer(t, s.apiKey, { recipient: s.recipient, amount: 900 }, { prefer: 'wait=0' });
    t.clock.nowMs += 0;
    const clock = setInterval(() => {
      t.clock.nowMs += 100;
    }, 20);
    const answer = await transfer(t, s.apiKey, { recipient: s.recipient, amount: 200 });
    clearInterval(clock);
    expect(answer.json()).toMatchObject({
      error: 'INSUFFICIENT_LIQUID',
      liquid: 1000,
      reserved: 900,
      deficit: 100,
      retryable: true,
    });
    expect(await countSpends(t, s.sessionId)).toBe(1);
  });

  it('takes the money that came free while it waited', async () => {
    const s = await openSession(t, 1000n);
    await transfer(t, s.apiKey, { recipient: s.recipient, amount: 900 }, { prefer: 'wait=0' });
    const second = transfer(t, s.apiKey, { recipient: s.recipient, amount: 200 });
    confirmAll();
    await settleQueued(t, s.sessionId, { code: 'SessionExpired', detail: 'SessionExpired' });
    expect((await second).statusCode).toBe(200);
  });

  it('answers 503 and queues nothing while the chain is away', async () => {
    const s = await openSession(t);
    t.chain.isDown = true;
    const answer = await transfer(t, s.apiKey, { recipient: s.recipient, amount: 1 });
    expect(answer.statusCode).toBe(503);
    expect(answer.json()).toMatchObject({ error: 'rpc unavailable', retryable: true });
    expect(answer.headers['retry-after']).toBe('1');
    expect(await countSpends(t, s.sessionId)).toBe(0);
    expect(await denials(s.walletId)).toEqual([]);
  });

  it('refuses outside the time window with 403, opens_at and a deny row', async () => {
    const s = await openSession(t);
    const window = { start_min: 0, end_min: 0, days: 0, timezone: 'Europe/Berlin' };
    await t.db.query(sql.unsafe`
      insert into wallet_policy (wallet_id, version, time_window)
      values (${s.walletId}::uuid, 1, ${JSON.stringify({ ...window, days: 127, end_min: 1439 })}::jsonb),
        (${s.walletId}::uuid, 2, ${JSON.stringify(window)}::jsonb)
    `);
    t.chain.isDown = true;
    const answer = await transfer(t, s.apiKey, { recipient: s.recipient, amount: 1 });
    expect(answer.statusCode).toBe(403);
    expect(answer.json()).toMatchObject({
      error: 'OUTSIDE_TIME_WINDOW',
      code: 'OUTSIDE_TIME_WINDOW',
      opens_at: null,
    });
    expect(await denials(s.walletId)).toEqual([
      { reason: 'OUTSIDE_TIME_WINDOW', decision: 'deny' },
    ]);
    expect(await countSpends(t, s.sessionId)).toBe(0);
  });
});

describe('waiting', () => {
  it.each(['wait=0', 'respond-async', 'respond-async, wait=1'])(
    'answers 202 with a Location on Prefer: %s and never withdraws the spend',
    async (prefer) => {
      const s = await openSession(t);
      const answer = await transfer(t, s.apiKey, { recipient: s.recipient, amount: 1 }, { prefer });
      expect(answer.statusCode).toBe(202);
      const { spend_id: spendId } = answer.json<{ spend_id: string }>();
      expect(answer.json()).toEqual({ spend_id: spendId, status: 'pending', tx_signature: null });
      expect(answer.headers.location).toBe(`/v1/spend/${spendId}`);
      const authorization = `Bearer ${s.apiKey}`;
      const read = await t.app.inject({ url: `/v1/spend/${spendId}`, headers: { authorization } });
      expect(read.json()).toMatchObject({ status: 'pending', kind: 'transfer', amount: 1 });
    },
  );

  it('withdraws a spend that nobody claimed and answers 503: a retry is safe', async () => {
    const s = await openSession(t);
    const ask = { recipient: s.recipient, amount: 1 };
    const headers = { prefer: 'wait=1', 'idempotency-key': 'k' };
    const answer = await transfer(t, s.apiKey, ask, headers);
    expect(answer.statusCode).toBe(503);
    expect(answer.json()).toMatchObject({
      error: 'rpc unavailable',
      code: 'EXPIRED_UNSENT',
      retryable: true,
    });
    expect(await denials(s.walletId)).toEqual([{ reason: 'EXPIRED_UNSENT', decision: 'deny' }]);
    confirmAll();
    expect((await transfer(t, s.apiKey, ask, headers)).statusCode).toBe(200);
  });

  it('answers 202 with what is known of a spend that a lane has claimed', async () => {
    const s = await openSession(t);
    t.onNudge = async (sessionId) => {
      await t.db.query(sql.unsafe`
        update spend set status = 'in_flight', attempt = 1, spend_seq = 1, tx_signature = 'sent'
        where session_id = ${sessionId}::uuid and status = 'queued'
      `);
    };
    const answer = await transfer(
      t,
      s.apiKey,
      { recipient: s.recipient, amount: 1 },
      { prefer: 'wait=1' },
    );
    expect(answer.statusCode).toBe(202);
    expect(answer.json()).toMatchObject({ status: 'pending', tx_signature: 'sent' });
  });

  it.each(['wait=61', 'wait=-1', 'wait=', 'wait', 'wait=1.5', 'wait=abc'])(
    'refuses Prefer: %s with 400',
    async (prefer) => {
      const s = await openSession(t);
      const answer = await transfer(t, s.apiKey, { recipient: s.recipient, amount: 1 }, { prefer });
      expect(answer.statusCode).toBe(400);
      expect(answer.json().error).toMatch(/^Prefer must be/);
      expect(await countSpends(t, s.sessionId)).toBe(0);
    },
  );
});

describe('Idempotency-Key', () => {
  it('gives the same answer again without a second spend, also at the same time', async () => {
    const s = await openSession(t);
    confirmAll();
    const ask = { recipient: s.recipient, amount: 5 };
    const headers = { 'idempotency-key': 'order-1' };
    const answers = await Promise.all(
      Array.from({ length: 5 }, () => transfer(t, s.apiKey, ask, headers)),
    );
    answers.push(await transfer(t, s.apiKey, ask, headers));
    expect(answers.map((answer) => answer.statusCode)).toEqual([200, 200, 200, 200, 200, 200]);
    expect(new Set(answers.map((answer) => answer.body)).size).toBe(1);
    expect(await countSpends(t, s.sessionId)).toBe(1);
  });

  it('is looked up before any rule: a replay is answered while the chain is away', async () => {
    const s = await openSession(t);
    confirmAll();
    const ask = { recipient: s.recipient, amount: 5 };
    const headers = { 'idempotency-key': 'order-1' };
    await transfer(t, s.apiKey, ask, headers);
    t.chain.isDown = true;
    expect((await transfer(t, s.apiKey, ask, headers)).statusCode).toBe(200);
  });

  it('refuses the same key with another body with 409', async () => {
    const s = await openSession(t);
    confirmAll();
    const headers = { 'idempotency-key': 'order-1' };
    await transfer(t, s.apiKey, { recipient: s.recipient, amount: 5 }, headers);
    const answer = await transfer(t, s.apiKey, { recipient: s.recipient, amount: 6 }, headers);
    expect(answer.statusCode).toBe(409);
    expect(answer.json().error).toBe('idempotency key reused');
  });

  it('survives the rotation of the key and is scoped to the session', async () => {
    const s = await openSession(t);
    const other = await openSession(t);
    confirmAll();
    const headers = { 'idempotency-key': 'order-1' };
    const first = await transfer(t, s.apiKey, { recipient: s.recipient, amount: 5 }, headers);
    const rotated = await s.owner.call('POST', `/v1/session/${s.sessionId}/rotate-key`);
    const { api_key: apiKey } = rotated.json<{ api_key: string }>();
    const again = await transfer(t, apiKey, { recipient: s.recipient, amount: 5 }, headers);
    expect(again.body).toBe(first.body);
    const elsewhere = await transfer(
      t,
      other.apiKey,
      { recipient: other.recipient, amount: 9 },
      headers,
    );
    expect(elsewhere.statusCode).toBe(200);
  });

  it.each(['with space', 'ü', 'x'.repeat(256), ''])(
    'refuses the key %.12j with 400',
    async (key) => {
      const s = await openSession(t);
      const answer = await transfer(
        t,
        s.apiKey,
        { recipient: s.recipient, amount: 1 },
        { 'idempotency-key': key },
      );
      expect(answer.statusCode).toBe(400);
      expect(answer.json().error).toMatch(/^Idempotency-Key must be/);
    },
  );
});

describe('GET /v1/spend/:id', () => {
  it("hides other sessions' spends, unknown ids and nonsense alike", async () => {
    const s = await openSession(t);
    const other = await openSession(t);
    confirmAll();
    const made = await transfer(t, s.apiKey, { recipient: s.recipient, amount: 5 });
    const { spend_id: spendId } = made.json<{ spend_id: string }>();
    const read = (key: string, id: string) =>
      t.app.inject({ url: `/v1/spend/${id}`, headers: { authorization: `Bearer ${key}` } });
    expect((await read(s.apiKey, spendId)).json()).toMatchObject({
      status: 'confirmed',
      finalized: false,
      recipient_or_url: s.recipient,
      error: null,
      upstream: null,
    });
    for (const id of [
      spendId,
      '00000000-0000-4000-8000-000000000000',
      'nonsense',
      'x'.repeat(90),
    ]) {
      const answer = await read(other.apiKey, id);
      expect([answer.statusCode, answer.json().error]).toEqual([404, 'spend not found']);
    }
  });

  it('describes a refused spend with the text and code of its refusal', async () => {
    const s = await openSession(t);
    t.onNudge = (id) => settleQueued(t, id, { code: 'VaultPaused', detail: 'VaultPaused' });
    const refused = await transfer(t, s.apiKey, { recipient: s.recipient, amount: 5 });
    const { spend_id: spendId } = refused.json<{ spend_id: string }>();
    const headers = { authorization: `Bearer ${s.apiKey}` };
    const read = await t.app.inject({ url: `/v1/spend/${spendId}`, headers });
    expect(read.json()).toMatchObject({
      status: 'rejected',
      error: 'on-chain submission failed',
      code: 'VaultPaused',
      detail: 'VaultPaused',
    });
  });
});

it('knows no other state as pending than queued and in flight', () => {
  expect((['queued', 'in_flight'] as const).every(isPending)).toBe(true);
});
