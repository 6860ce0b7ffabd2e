import { beforeAll, expect } from 'vitest';
import type { HttpOwner, HttpSession } from '../../support/http/http-owner.ts';
import { waitUntil } from '../../support/wait-until.ts';
import { row } from '../row.ts';
import {
  asOwner,
  auditOf,
  bearer,
  call,
  callOther,
  chain,
  itemsOf,
  newAddress,
  newOwner,
  newRecipient,
  readPosition,
  transfer,
} from '../world.ts';

let owner: HttpOwner;
let session: HttpSession;
let recipient: string;
beforeAll(async () => {
  [owner, recipient] = await Promise.all([newOwner(5_000_000n), newRecipient()]);
  session = await owner.createSession({
    recipients: [recipient],
    maxPerTx: 10_000n,
    dailyCap: 1_000_000n,
  });
});

const spend = (headers: Record<string, string>) =>
  transfer(session.apiKey, { recipient, amount: 74 }, headers);

const readSpend = (apiKey: string, spendId: unknown) =>
  call('GET', `/v1/spend/${String(spendId)}`, { headers: bearer(apiKey) });

row('open.pending', async () => {
  const answer = await transfer(session.apiKey, { recipient, amount: 71 }, { prefer: 'wait=0' });
  expect(answer).toMatchObject({ status: 202, body: { status: 'pending' } });
  const location = answer.headers.get('location') ?? '';
  expect(location).toBe(`/v1/spend/${String(answer.body['spend_id'])}`);
  const settled = await waitUntil('the outcome at the Location', async () => {
    const { body } = await call('GET', location, { headers: bearer(session.apiKey) });
    return body['status'] !== 'pending' && body;
  });
  expect(settled).toMatchObject({ status: 'confirmed', amount: 71 });
});

row('open.spend.read', async () => {
  const { body } = await transfer(session.apiKey, { recipient, amount: 72 });
  const read = (await readSpend(session.apiKey, body['spend_id'])).body;
  expect(read).toEqual({
    spend_id: body['spend_id'],
    kind: 'transfer',
    status: 'confirmed',
    finalized: expect.any(Boolean),
    amount: 72,
    recipient_or_url: recipient,
    tx_signature: body['tx_signature'],
    error: null,
    code: null,
    detail: null,
    payment_proof_header: null,
    upstream: null,
    created_at: expect.stringMatching(/Z$/),
    settled_at: expect.stringMatching(/Z$/),
  });
});

row('open.spend.rejected', async () => {
  const { body } = await transfer(session.apiKey, { recipient, amount: 10_001 });
  const read = (await readSpend(session.apiKey, body['spend_id'])).body;
  expect(read).toMatchObject({
    status: 'rejected',
    error: 'on-chain submission failed',
    code: 'AmountExceedsMaxPerTx',
    detail: body['detail'],
    tx_signature: null,
  });
});

row('open.spend.others', async () => {
  const sister = await owner.createSession({ recipients: [] });
  const { body } = await transfer(session.apiKey, { recipient, amount: 73 });
  expect(await readSpend(sister.apiKey, body['spend_id'])).toMatchObject({
    status: 404,
    body: { error: 'spend not found' },
  });
});

row('open.wait', async () => {
  for (const prefer of ['wait=61', 'wait=-1', 'wait=soon', 'wait=']) {
    expect((await spend({ prefer })).status).toBe(400);
  }
  expect((await spend({ prefer: 'wait=60' })).status).toBe(200);
  expect((await spend({ prefer: 'respond-async' })).status).toBe(202);
});

row('open.resets_at', async () => {
  const one = await owner.createSession({ recipients: [recipient], dailyCap: 1_000n });
  await transfer(one.apiKey, { recipient, amount: 600 });
  const { body } = await transfer(one.apiKey, { recipient, amount: 500 });
  const inSeconds = Number(body['resets_at']) - Date.now() / 1_000;
  expect(body['code']).toBe('DailyCapExceeded');
  expect(inSeconds).toBeGreaterThan(23.9 * 3_600);
  expect(inSeconds).toBeLessThanOrEqual(25 * 3_600);
  const never = await transfer(one.apiKey, { recipient, amount: 1_001 });
  expect(never.body).toMatchObject({ code: 'DailyCapExceeded', resets_at: null });
});

row('open.refusal-fields', async () => {
  const refusals = await Promise.all([
    call('GET', '/v1/yield/position'),
    transfer(session.apiKey, {}),
    transfer(session.apiKey, { recipient, amount: 900_000_000 }),
    transfer(session.apiKey, { recipient: newAddress(), amount: 1 }),
    call('GET', '/v1/nothing'),
    asOwner(owner, 'POST', '/v1/wallet', {}),
    callOther('api-cut', 'GET', '/v1/wallet', { headers: { cookie: owner.cookie } }),
  ]);
  expect(refusals.map(({ status }) => status)).toEqual([401, 400, 402, 402, 404, 409, 503]);
  for (const { body } of refusals) {
    expect(body).toMatchObject({
      error: expect.any(String),
      code: expect.stringMatching(/^\w+$/),
      layer: expect.stringMatching(/^(off|on)-chain$/),
      retryable: expect.any(Boolean),
    });
  }
  expect(refusals.map(({ body }) => typeof body['remedy'])).toEqual([
    'undefined',
    'undefined',
    'string',
    'string',
    'undefined',
    'string',
    'undefined',
  ]);
});

row('open.not-a-challenge', async () => {
  const asked = await Promise.all([
    transfer(session.apiKey, { recipient, amount: 900_000_000 }),
    transfer(session.apiKey, { recipient: newAddress(), amount: 1 }),
  ]);
  for (const { status, body, headers } of asked) {
    expect(status).toBe(402);
    expect(Object.keys(body)).not.toContain('x402Version');
    expect(Object.keys(body)).not.toContain('accepts');
    expect(headers.get('payment-required')).toBeNull();
    expect(headers.get('www-authenticate')).toBeNull();
  }
});

row('open.idempotency.replay', async () => {
  const account = chain.usdcAccountOf(recipient);
  const key = { 'idempotency-key': 'invoice-17' };
  const [before = 0n] = await chain.balances([account]);
  const body = { recipient, amount: 1_081 };
  const first = await transfer(session.apiKey, body, key);
  const again = await transfer(session.apiKey, body, key);
  expect([first.status, again.status]).toEqual([200, 200]);
  expect(again.body).toEqual(first.body);
  expect(await chain.balances([account])).toEqual([before + 1_081n]);
});

row('open.idempotency.reused', async () => {
  const key = { 'idempotency-key': 'invoice-18' };
  expect((await transfer(session.apiKey, { recipient, amount: 82 }, key)).status).toBe(200);
  expect(await transfer(session.apiKey, { recipient, amount: 83 }, key)).toMatchObject({
    status: 409,
    body: { error: 'idempotency key reused' },
  });
});

row('open.idempotency.form', async () => {
  for (const key of ['a b', 'é', 'x'.repeat(256)])
    expect((await spend({ 'idempotency-key': key })).status).toBe(400);
  expect((await spend({ 'idempotency-key': '~'.repeat(255) })).status).toBe(200);
});

row('open.idempotency.denied', async () => {
  const key = { 'idempotency-key': 'invoice-19' };
  const denied = await transfer(session.apiKey, { recipient, amount: 900_000_000 }, key);
  expect(denied.status).toBe(402);
  expect((await transfer(session.apiKey, { recipient, amount: 85 }, key)).status).toBe(200);
});

row('open.idempotency.rotation', async () => {
  const one = await owner.createSession({ recipients: [recipient] });
  const key = { 'idempotency-key': 'invoice-20' };
  const first = await transfer(one.apiKey, { recipient, amount: 86 }, key);
  const rotated = await asOwner(owner, 'POST', `/v1/session/${one.sessionId}/rotate-key`);
  const apiKey = String(rotated.body['api_key']);
  const again = await transfer(apiKey, { recipient, amount: 86 }, key);
  expect(again.body['spend_id']).toBe(first.body['spend_id']);
});

row('open.429.key', async () => {
  const one = await owner.createSession({ recipients: [] });
  const asked = [];
  for (let i = 0; i < 6; i += 1) {
    const headers = bearer(one.apiKey);
    asked.push(await callOther('api-strict', 'GET', '/v1/yield/position', { headers }));
  }
  const limited = asked.find(({ status }) => status === 429);
  expect(asked[0]?.status).toBe(200);
  expect(limited?.body).toMatchObject({ error: 'rate limited', retryable: true });
  expect(Number(limited?.headers.get('retry-after'))).toBeGreaterThan(0);
  // Elsewhere the same key goes on.
  expect((await readPosition(one.apiKey)).status).toBe(200);
});

row('open.audit.none', async () => {
  const one = await owner.createSession({ recipients: [recipient] });
  const strict = () =>
    callOther('api-strict', 'POST', '/v1/spend/transfer', {
      headers: bearer(one.apiKey),
      body: { recipient: 'nobody', amount: 1 },
    });
  const statuses = [
    (await transfer(one.apiKey, { recipient, amount: 0 })).status,
    (await transfer(`${one.apiKey}x`, { recipient, amount: 1 })).status,
    (await readSpend(one.apiKey, '00000000-0000-4000-8000-000000000000')).status,
  ];
  expect(statuses).toEqual([400, 401, 404]);
  const limited = await waitUntil('a 429', async () => {
    const { status } = await strict();
    return status === 429 && status;
  });
  expect(limited).toBe(429);
  expect(await auditOf(owner, `session_id=${one.sessionId}`)).toEqual([]);
});

row('open.audit.session', async () => {
  const [one, two] = [
    await owner.createSession({ recipients: [] }),
    await owner.createSession({ recipients: [] }),
  ];
  for (const { apiKey } of [one, two, one]) await transfer(apiKey, { recipient, amount: 9 });
  const of = async ({ sessionId }: HttpSession) =>
    (await auditOf(owner, `session_id=${sessionId}`)).map((item) => item['session_id']);
  expect(await of(one)).toEqual([one.sessionId, one.sessionId]);
  expect(await of(two)).toEqual([two.sessionId]);
  const wrong = await asOwner(owner, 'GET', '/v1/audit?session_id=nonsense');
  expect(wrong).toMatchObject({
    status: 400,
    body: { error: expect.stringMatching(/^session_id/) },
  });
});

row('open.audit.page', async () => {
  const many = await newOwner(0n);
  const one = await many.createSession({ recipients: [recipient] });
  const amounts = Array.from({ length: 53 }, (_, i) => i + 1);
  for (const amount of amounts) await transfer(one.apiKey, { recipient, amount });
  const query = `session_id=${one.sessionId}`;
  const first = await asOwner(many, 'GET', `/v1/audit?${query}`);
  const cursor = String(first.body['next_cursor']);
  const rest = await asOwner(many, 'GET', `/v1/audit?${query}&cursor=${cursor}`);
  const pages = [first, rest].map(({ body }) => itemsOf(body));
  expect(pages.map((page) => page.length)).toEqual([50, 3]);
  expect(rest.body['next_cursor']).toBeNull();
  const seen = pages.flat().map(({ amount }) => Number(amount));
  expect(seen).toEqual(amounts.toReversed());
  expect(await auditOf(many, `${query}&limit=200`)).toHaveLength(53);
  for (const wrong of ['limit=0', 'limit=201', 'limit=x', 'cursor=nonsense', 'decision=maybe']) {
    const { status, body } = await asOwner(many, 'GET', `/v1/audit?${wrong}`);
    expect([status, String(body['error']).split(' ')[0]]).toEqual([400, wrong.split('=')[0]]);
  }
});

row('open.audit.reverted', async () => {
  await transfer(session.apiKey, { recipient, amount: 10_099 });
  const denied = await auditOf(owner, 'decision=deny');
  expect(denied[0]).toMatchObject({ amount: '10099', tx_signature: null });
  expect(denied.filter((item) => item['tx_signature'] !== null)).toEqual([]);
});
