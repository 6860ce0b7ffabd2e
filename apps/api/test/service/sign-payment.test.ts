import { sql } from 'slonik';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import {
  countSpends,
  openSession,
  post,
  type Session,
  settleQueued,
  startTestApp,
  type TestApp,
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

const URL = 'https://api.example.com/v1/forecast?city=Oslo';

/** A session whose wallet allows calls under /v1/ for 500 base units each. */
async function openAllowed(liquid?: bigint): Promise<Session> {
  const s = await openSession(t, liquid);
  const allowlist = [{ pattern: 'https://api.example.com/v1/*', max_per_call: 500 }];
  await t.db.query(sql.unsafe`
    insert into wallet_policy (wallet_id, version, url_allowlist)
    values (${s.walletId}::uuid, 1, ${JSON.stringify(allowlist)}::jsonb)
  `);
  return s;
}

const sign = (s: Session, fields: object = {}, headers: Record<string, string> = {}) =>
  post(
    t,
    s.apiKey,
    '/v1/spend/sign-payment',
    { url: URL, recipient: s.recipient, amount: 400, ...fields },
    headers,
  );

const denialRow = z.object({
  action: z.string(),
  reason: z.string().nullable(),
  amount: z.bigint().nullable(),
  recipient: z.string().nullable(),
  recipientOrUrl: z.string().nullable(),
});
const denials = (walletId: string) =>
  t.db.any(sql.type(denialRow)`
    select action, reason, amount, recipient, recipient_or_url as "recipientOrUrl"
    from audit where wallet_id = ${walletId}::uuid order by seq
  `);

describe('POST /v1/spend/sign-payment', () => {
  it('answers 200 with the signature as the proof once the row is confirmed', async () => {
    const s = await openAllowed();
    t.onNudge = (sessionId) => settleQueued(t, sessionId);
    const answer = await sign(s);
    expect(answer.statusCode).toBe(200);
    const body = answer.json<Record<string, string>>();
    expect(body).toEqual({
      tx_signature: expect.stringMatching(/^sig/),
      payment_proof_header: body['tx_signature'],
      spend_id: expect.any(String),
    });
    const read = await t.app.inject({
      url: `/v1/spend/${body['spend_id']}`,
      headers: { authorization: `Bearer ${s.apiKey}` },
    });
    expect(read.json()).toMatchObject({
      kind: 'sign_payment',
      status: 'confirmed',
      recipient_or_url: URL,
      payment_proof_header: body['tx_signature'],
    });
  });

  it('gives no proof of a payment that is only pending', async () => {
    const s = await openAllowed();
    const answer = await sign(s, {}, { prefer: 'wait=0' });
    expect(answer.statusCode).toBe(202);
    const read = await t.app.inject({
      url: answer.headers.location ?? '',
      headers: { authorization: `Bearer ${s.apiKey}` },
    });
    expect(read.json()).toMatchObject({ status: 'pending', payment_proof_header: null });
  });

  it.each([
    [{ url: 'not a url' }, /^url must be an https URL/],
    [{ url: 'http://api.example.com/v1/x' }, /^url must be an https URL/],
    [{ url: 'ftp://api.example.com/v1/x' }, /^url must be an https URL/],
    [{ url: '//api.example.com/v1/x' }, /^url must be an https URL/],
    [{ url: `https://api.example.com/v1/${'x'.repeat(2_048)}` }, /^url must be an https URL/],
    [{ url: 7 }, /^url must be an https URL/],
    [{ url: undefined }, /^url must be an https URL/],
    [{ recipient: 'nobody' }, /^recipient must be a base58 address/],
    [{ amount: 0 }, /^amount must be a positive number in base units/],
  ])('refuses %j with 400 and writes nothing', async (fields, text) => {
    const s = await openAllowed();
    const answer = await sign(s, fields);
    expect(answer.statusCode).toBe(400);
    expect(answer.json()).toMatchObject({
      error: expect.stringMatching(text),
      code: 'BAD_REQUEST',
      layer: 'off-chain',
    });
    expect(await countSpends(t, s.sessionId)).toBe(0);
    expect(await denials(s.walletId)).toEqual([]);
  });

  it.each([
    ['https://evil.example/v1/x', 'https://evil.example/v1/x'],
    ['https://api.example.com/v2/x', 'https://api.example.com/v2/x'],
    ['https://api.example.com@evil.example/v1/x', 'https://api.example.com@evil.example/v1/x'],
    ['https://api.example.com/v1/a\tb', 'https://api.example.com/v1/a\tb'],
    ['https://api.example.com/v1/\0', 'https://api.example.com/v1/%00'],
    ['https://api.example.com/v1/\ud800', 'https://api.example.com/v1/\ufffd'],
  ])('refuses %j with 403 and one deny row', async (url, logged) => {
    const s = await openSession(t);
    // Refused before the chain is asked for anything.
    t.chain.isDown = true;
    const answer = await sign(s, { url });
    expect(answer.statusCode).toBe(403);
    expect(answer.json()).toEqual({
      error: 'URL_NOT_ALLOWED',
      code: 'URL_NOT_ALLOWED',
      layer: 'off-chain',
      retryable: false,
      remedy: expect.any(String),
    });
    expect(await countSpends(t, s.sessionId)).toBe(0);
    expect(await denials(s.walletId)).toEqual([
      {
        action: 'sign_payment',
        reason: 'URL_NOT_ALLOWED',
        amount: 400n,
        recipient: s.recipient,
        recipientOrUrl: logged,
      },
    ]);
  });

  it('refuses an amount above max_per_call with 403 and names it', async () => {
    const s = await openAllowed();
    const answer = await sign(s, { amount: 501 });
    expect(answer.statusCode).toBe(403);
    expect(answer.json()).toMatchObject({ error: 'URL_NOT_ALLOWED', max_per_call: 500 });
    expect(await denials(s.walletId)).toHaveLength(1);
    t.onNudge = (sessionId) => settleQueued(t, sessionId);
    expect((await sign(s, { amount: 500 })).statusCode).toBe(200);
  });

  it('looks at the time window before the URL and at the URL before the balance', async () => {
    const s = await openAllowed(10n);
    expect((await sign(s, { amount: 11 })).json().error).toBe('INSUFFICIENT_LIQUID');
    expect((await sign(s, { amount: 501 })).json().error).toBe('URL_NOT_ALLOWED');
    const closed = { start_min: 0, end_min: 0, days: 0, timezone: 'Europe/Berlin' };
    await t.db.query(sql.unsafe`
      insert into wallet_policy (wallet_id, version, time_window)
      values (${s.walletId}::uuid, 2, ${JSON.stringify(closed)}::jsonb)
    `);
    expect((await sign(s, { amount: 501 })).json().error).toBe('OUTSIDE_TIME_WINDOW');
  });

  it('answers a repeated key as before, also when the owner has taken the URL off the list', async () => {
    const s = await openAllowed();
    t.onNudge = (sessionId) => settleQueued(t, sessionId);
    const headers = { 'idempotency-key': 'forecast-1' };
    const first = await sign(s, {}, headers);
    await t.db.query(sql.unsafe`
      insert into wallet_policy (wallet_id, version) values (${s.walletId}::uuid, 2)
    `);
    expect((await sign(s, {}, headers)).body).toBe(first.body);
    const other = await sign(s, { url: `${URL}&days=2` }, headers);
    expect([other.statusCode, other.json().error]).toEqual([409, 'idempotency key reused']);
    expect(await countSpends(t, s.sessionId)).toBe(1);
  });
});
