import { isPending } from '@agent-wallet/spend';
import { sql } from 'slonik';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { waitUntil } from '../../../../tests/support/wait-until.ts';
import { sessionState } from '../fixtures/fake-chain.ts';
import { agentWith, openSession } from '../fixtures/open-session.ts';
import { newAddress } from '../fixtures/signed-in-owner.ts';
import {
  countSpends,
  expectTrace,
  NEVER,
  setPolicy,
  settleOnNudge,
  settleQueued,
} from '../fixtures/spends-of-wallet.ts';
import { expectRefused, expectReply, startTestApp, useTestApp } from '../fixtures/test-app.ts';

const t = await useTestApp();
const ASYNC = { prefer: 'wait=0' };
const KEYED = { 'idempotency-key': 'order-1' };

describe('POST /v1/spend/transfer', () => {
  it('returns 200 with the signature once the row is confirmed', async () => {
    const s = await openSession(t);
    settleOnNudge(t);
    const answer = await s.pay(1000);
    expectReply(answer, 200, { status: 'confirmed', tx_signature: expect.stringMatching(/^sig/) });
    expect(t.nudged.at(-1)).toBe(s.walletId);
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
    const rest = { code: 'BAD_REQUEST', layer: 'off-chain', retryable: false };
    expectRefused(await s.pay(1, {}, fields), 400, text, rest);
    await expectTrace(t, s, 0, []);
  });

  it.each<readonly [string, number, string, string]>([
    ['[1]', 400, 'body must be a JSON object', 'application/json'],
    ['null', 400, 'body must be a JSON object', 'application/json'],
    ['{"amount":', 400, 'body must be valid JSON', 'application/json'],
    ['{"__proto__":{"a":1},"amount":1}', 400, 'body must be valid JSON', 'application/json'],
    ['', 400, 'body must be a JSON object', 'application/json'],
    [`{"a":"${'x'.repeat(70_000)}"}`, 413, 'body too large', 'application/json'],
    ...['text/plain', 'application/x-www-form-urlencoded', 'application/xml', 'nonsense'].map(
      (type) => ['{}', 415, 'content-type must be application/json', type] as const,
    ),
  ])('refuses the body %.20j with %i %s (%s)', async (payload, status, error, type) => {
    const s = await openSession(t);
    const headers = { authorization: `Bearer ${s.apiKey}`, 'content-type': type };
    const url = '/v1/spend/transfer';
    expectRefused(await t.app.inject({ method: 'POST', url, headers, payload }), status, error);
    expect(await countSpends(t, s.sessionId)).toBe(0);
  });

  it('returns a refusal of the program as 402 with its detail', async () => {
    const s = await openSession(t);
    const code = 'RecipientNotAllowed';
    settleOnNudge(t, code, `custom program error: 0x1770: ${code}`);
    const answer = await s.pay(1, {}, { recipient: newAddress() });
    expectRefused(answer, 402, 'on-chain submission failed', {
      code,
      layer: 'on-chain',
      retryable: false,
      detail: expect.stringContaining(code),
      remedy: expect.any(String),
    });
  });

  it('reserves nothing for a spend that the program will refuse', async () => {
    const s = await openSession(t);
    await s.pay(7, ASYNC, { recipient: newAddress() });
    await s.pay(8, ASYNC);
    const reserved = await t.db.anyFirst(sql.type(z.object({ reserved: z.bigint() }))`
      select reserved from spend where session_id = ${s.sessionId}::uuid order by accepted_no
    `);
    expect(reserved).toEqual([0n, 8n]);
  });

  it('bounds the open spends with 429 and Retry-After, and writes no row', async () => {
    await using bounded = await startTestApp({ pendingLimits: { session: 1, wallet: 10 } });
    const s = await openSession(bounded);
    expect((await s.pay(5, ASYNC)).statusCode).toBe(202);
    const answer = await s.pay(5, ASYNC);
    const rest = { code: 'TOO_MANY_PENDING', retryable: true };
    expectRefused(answer, 429, 'too many pending spends', rest);
    expect(answer.headers['retry-after']).toBe('1');
    expect(await countSpends(bounded, s.sessionId)).toBe(1);
  });

  it('returns with DailyCapExceeded when this amount fits again', async () => {
    const s = await openSession(t);
    const hour = BigInt(Math.floor(t.clock.nowMs / 3_600_000));
    const buckets = Array.from({ length: 25 }, () => 0n);
    buckets[Number(hour % 25n)] = 5_000_000n;
    const window = { buckets, lastSeen: hour * 3600n };
    t.chain.sessions.set(s.sessionPda, sessionState({ recipients: [s.recipient], window }));
    settleOnNudge(t, 'DailyCapExceeded');
    const resets_at = Number((hour + 25n) * 3600n);
    const remedy = expect.stringContaining('retry with a new Idempotency-Key');
    expectReply(await s.pay(1), 402, { resets_at, retryable: true, remedy });
  });

  it('refuses more than the balance with 402, a deny row and no spend', async () => {
    const s = await openSession(t, 500n);
    const answer = await s.pay(800);
    const rest = { liquid: 500, amount: 800, deficit: 300, layer: 'off-chain' };
    expectRefused(answer, 402, 'INSUFFICIENT_LIQUID', rest);
    expect(answer.json()).not.toHaveProperty('reserved');
    await expectTrace(t, s, 0, ['INSUFFICIENT_LIQUID']);
  });

  it('waits for reserved money to come free, then refuses with what is reserved', async () => {
    const s = await openSession(t, 1000n);
    await s.pay(900, ASYNC);
    const clock = setInterval(() => {
      t.clock.nowMs += 100;
    }, 20);
    const answer = await s.pay(200);
    clearInterval(clock);
    const rest = { liquid: 1000, reserved: 900, deficit: 100, retryable: true };
    expectRefused(answer, 402, 'INSUFFICIENT_LIQUID', rest);
    expect(await countSpends(t, s.sessionId)).toBe(1);
  });

  it('accepts a spend with money that came free while it waited', async () => {
    const s = await openSession(t, 1000n);
    await s.pay(900, ASYNC);
    const second = s.pay(200);
    settleOnNudge(t);
    await settleQueued(t, s.walletId, { code: 'SessionExpired', detail: 'SessionExpired' });
    expect((await second).statusCode).toBe(200);
  });

  it('returns 503 and queues nothing while the chain is unavailable', async () => {
    const s = await openSession(t);
    t.chain.isDown = true;
    const answer = await s.pay(1);
    expectRefused(answer, 503, 'rpc unavailable', { retryable: true });
    expect(answer.headers['retry-after']).toBe('1');
    await expectTrace(t, s, 0, []);
  });

  it('refuses outside the time window with 403, opens_at and a deny row', async () => {
    const s = await openSession(t);
    await setPolicy(t, s, { hours: { ...NEVER, days: 127, end_min: 1439 } });
    await setPolicy(t, s, { hours: NEVER });
    t.chain.isDown = true;
    const code = 'OUTSIDE_TIME_WINDOW';
    expectRefused(await s.pay(1), 403, code, { code, opens_at: null });
    await expectTrace(t, s, 0, [code]);
  });
});

describe('waiting', () => {
  it.each(['wait=0', 'respond-async', 'respond-async, wait=1'])(
    'returns 202 with a Location on Prefer: %s and never withdraws the spend',
    async (prefer) => {
      const s = await openSession(t);
      const answer = await s.pay(1, { prefer });
      expect(answer.statusCode).toBe(202);
      const { spend_id } = answer.json<{ spend_id: string }>();
      expect(answer.json()).toEqual({ spend_id, status: 'pending', tx_signature: null });
      expect(answer.headers.location).toBe(`/v1/spend/${spend_id}`);
      const read = await s.call(`/v1/spend/${spend_id}`);
      expectReply(read, 200, { status: 'pending', kind: 'transfer', amount: 1 });
    },
  );

  it('withdraws a spend that no lane claimed and returns 503: a retry is safe', async () => {
    const s = await openSession(t);
    const headers = { prefer: 'wait=1', ...KEYED };
    const remedy = 'nothing moved: retry, with the same Idempotency-Key if this request had one';
    const rest = { code: 'EXPIRED_UNSENT', retryable: true, remedy };
    expectRefused(await s.pay(1, headers), 503, 'rpc unavailable', rest);
    await expectTrace(t, s, 1, ['EXPIRED_UNSENT']);
    settleOnNudge(t);
    expect((await s.pay(1, headers)).statusCode).toBe(200);
  });

  it('returns 202 with what is known of a spend that a lane has claimed', async () => {
    const s = await openSession(t);
    t.onNudge = async (walletId) => {
      await t.db.query(sql.unsafe`
        update spend set status = 'in_flight', attempt = 1, spend_seq = 1, tx_signature = 'sent'
        where wallet_id = ${walletId}::uuid and status = 'queued'
      `);
    };
    const answer = await s.pay(1, { prefer: 'wait=1' });
    expectReply(answer, 202, { status: 'pending', tx_signature: 'sent' });
  });

  it.each([
    ...['wait=61', 'wait=-1', 'wait=', 'wait', 'wait=1.5', 'wait=abc'].map(
      (value) => ['Prefer', value] as const,
    ),
    ...['with space', 'ü', 'x'.repeat(256), ''].map((value) => ['Idempotency-Key', value] as const),
  ])('refuses %s: %.12j with 400', async (name, value) => {
    const s = await openSession(t);
    const answer = await s.pay(1, { [name.toLowerCase()]: value });
    expectRefused(answer, 400, new RegExp(`^${name} must be`));
    expect(await countSpends(t, s.sessionId)).toBe(0);
  });
});

describe('Idempotency-Key', () => {
  it('returns the same answer again without a second spend, also at the same time', async () => {
    const s = await openSession(t);
    settleOnNudge(t);
    const answers = await Promise.all(Array.from({ length: 5 }, () => s.pay(5, KEYED)));
    answers.push(await s.pay(5, KEYED));
    expect(answers.map((answer) => answer.statusCode)).toEqual([200, 200, 200, 200, 200, 200]);
    expect(new Set(answers.map((answer) => answer.body)).size).toBe(1);
    expect(await countSpends(t, s.sessionId)).toBe(1);
  });

  it('comes before every rule: a replay succeeds while the chain is unavailable', async () => {
    const s = await openSession(t);
    settleOnNudge(t);
    await s.pay(5, KEYED);
    t.chain.isDown = true;
    expect((await s.pay(5, KEYED)).statusCode).toBe(200);
  });

  it('refuses the same key with another body with 409', async () => {
    const s = await openSession(t);
    settleOnNudge(t);
    await s.pay(5, KEYED);
    expectRefused(await s.pay(6, KEYED), 409, 'idempotency key reused');
  });

  it('does not cancel the spend that another caller awaits when a replay has waited', async () => {
    const s = await openSession(t);
    const first = s.pay(1, KEYED);
    await waitUntil('the spend', async () => (await countSpends(t, s.sessionId)) === 1);
    expectReply(await s.pay(1, { ...KEYED, prefer: 'wait=1' }), 202, { status: 'pending' });
    await settleQueued(t, s.walletId);
    expectReply(await first, 200, { status: 'confirmed' });
  });

  it('survives the rotation of the key and is scoped to the session', async () => {
    const [s, other] = [await openSession(t), await openSession(t)];
    settleOnNudge(t);
    const first = await s.pay(5, KEYED);
    const rotated = await s.owner.call('POST', `/v1/session/${s.sessionId}/rotate-key`);
    const { api_key: apiKey } = rotated.json<{ api_key: string }>();
    expect((await agentWith(t, apiKey, s.recipient).pay(5, KEYED)).body).toBe(first.body);
    expect((await other.pay(9, KEYED)).statusCode).toBe(200);
  });
});

describe('GET /v1/spend/:id', () => {
  it("hides other sessions' spends, unknown ids and nonsense alike", async () => {
    const [s, other] = [await openSession(t), await openSession(t)];
    settleOnNudge(t);
    const { spend_id } = (await s.pay(5)).json<{ spend_id: string }>();
    expectReply(await s.call(`/v1/spend/${spend_id}`), 200, {
      status: 'confirmed',
      finalized: false,
      recipient_or_url: s.recipient,
      error: null,
      upstream: null,
    });
    const unknown = '00000000-0000-4000-8000-000000000000';
    for (const id of [spend_id, unknown, 'nonsense', 'x'.repeat(90)]) {
      expectRefused(await other.call(`/v1/spend/${id}`), 404, 'spend not found');
    }
  });

  it('describes a refused spend with the text and code of its refusal', async () => {
    const s = await openSession(t);
    settleOnNudge(t, 'VaultPaused');
    const { spend_id } = (await s.pay(5)).json<{ spend_id: string }>();
    expectReply(await s.call(`/v1/spend/${spend_id}`), 200, {
      status: 'rejected',
      error: 'on-chain submission failed',
      code: 'VaultPaused',
      detail: 'VaultPaused',
    });
  });
});

it('treats queued and in-flight spends as pending', () => {
  expect((['queued', 'in_flight'] as const).every(isPending)).toBe(true);
});
