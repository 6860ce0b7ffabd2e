import { describe, expect, it } from 'vitest';
import { openSession, type Session } from '../fixtures/open-session.ts';
import {
  auditOf,
  countSpends,
  expectTrace,
  NEVER,
  setPolicy,
  settleOnNudge,
} from '../fixtures/spends-of-wallet.ts';
import { expectRefused, expectReply, useTestApp } from '../fixtures/test-app.ts';

const t = await useTestApp();

const URL = 'https://api.example.com/v1/forecast?city=Oslo';

/** A session whose wallet allows calls under /v1/ for 500 base units each. */
async function openAllowed(liquid?: bigint): Promise<Session> {
  const s = await openSession(t, liquid);
  const urls = [{ pattern: 'https://api.example.com/v1/*', max_per_call: 500 }];
  await setPolicy(t, s, { urls });
  return s;
}

const sign = (s: Session, fields: object = {}, headers: Record<string, string> = {}) => {
  const body = { url: URL, recipient: s.recipient, amount: 400, ...fields };
  return s.call('/v1/spend/sign-payment', body, headers);
};

describe('POST /v1/spend/sign-payment', () => {
  it('returns 200 with the signature as the proof once the row is confirmed', async () => {
    const s = await openAllowed();
    settleOnNudge(t);
    const answer = await sign(s);
    expect(answer.statusCode).toBe(200);
    const { tx_signature, spend_id } = answer.json<Record<string, string>>();
    expect(answer.json()).toEqual({
      tx_signature: expect.stringMatching(/^sig/),
      payment_proof_header: tx_signature,
      spend_id: expect.any(String),
    });
    expectReply(await s.call(`/v1/spend/${spend_id}`), 200, {
      kind: 'sign_payment',
      status: 'confirmed',
      recipient_or_url: URL,
      payment_proof_header: tx_signature,
    });
  });

  it('returns no proof of a payment that is only pending', async () => {
    const s = await openAllowed();
    const answer = await sign(s, {}, { prefer: 'wait=0' });
    expect(answer.statusCode).toBe(202);
    const read = await s.call(String(answer.headers.location));
    expectReply(read, 200, { status: 'pending', payment_proof_header: null });
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
    const rest = { code: 'BAD_REQUEST', layer: 'off-chain' };
    expectRefused(await sign(s, fields), 400, text, rest);
    await expectTrace(t, s, 0, []);
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
    // The refusal comes before any read of the chain.
    t.chain.isDown = true;
    const answer = await sign(s, { url });
    const code = 'URL_NOT_ALLOWED';
    expect([answer.statusCode, answer.json()]).toEqual([
      403,
      { error: code, code, layer: 'off-chain', retryable: false, remedy: expect.any(String) },
    ]);
    await expectTrace(t, s, 0, [code]);
    expect(await auditOf(t, s)).toMatchObject([
      {
        action: 'sign_payment',
        amount: 400n,
        recipient: s.recipient,
        recipientOrUrl: logged,
      },
    ]);
  });

  it('refuses an amount above max_per_call with 403 and names it', async () => {
    const s = await openAllowed();
    const above = await sign(s, { amount: 501 });
    expectRefused(above, 403, 'URL_NOT_ALLOWED', { max_per_call: 500 });
    await expectTrace(t, s, 0, ['URL_NOT_ALLOWED']);
    settleOnNudge(t);
    expect((await sign(s, { amount: 500 })).statusCode).toBe(200);
  });

  it('checks the time window before the URL and the URL before the balance', async () => {
    const s = await openAllowed(10n);
    expectRefused(await sign(s, { amount: 11 }), 402, 'INSUFFICIENT_LIQUID');
    expectRefused(await sign(s, { amount: 501 }), 403, 'URL_NOT_ALLOWED');
    await setPolicy(t, s, { hours: NEVER });
    expectRefused(await sign(s, { amount: 501 }), 403, 'OUTSIDE_TIME_WINDOW');
  });

  it('replays a key also when the owner has removed the URL from the list since', async () => {
    const s = await openAllowed();
    settleOnNudge(t);
    const headers = { 'idempotency-key': 'forecast-1' };
    const first = await sign(s, {}, headers);
    await setPolicy(t, s);
    expect((await sign(s, {}, headers)).body).toBe(first.body);
    const other = await sign(s, { url: `${URL}&days=2` }, headers);
    expectRefused(other, 409, 'idempotency key reused');
    expect(await countSpends(t, s.sessionId)).toBe(1);
  });
});
