import { afterAll, beforeAll, expect } from 'vitest';
import { createTestDatabase } from '../../support/database/test-database.ts';
import type { HttpAnswer, HttpOwner, HttpSession } from '../../support/http/http-owner.ts';
import { waitUntil } from '../../support/wait-until.ts';
import { countHistory, readTransaction } from '../chain-history.ts';
import { row } from '../row.ts';
import { addToCatalog, catalog, openServices, type PaidServices, PRICE } from '../services.ts';
import {
  asOwner,
  auditOf,
  bearer,
  call,
  callOther,
  chain,
  itemsOf,
  newOwner,
  newRecipient,
  transfer,
} from '../world.ts';

const URL_PAID = 'https://almanac.example/today';

let services: PaidServices;
let owner: HttpOwner;
let session: HttpSession;
beforeAll(async () => {
  services = await openServices();
  for (const slug of ['proof', 'free', 'silent', 'greedy', 'thief']) {
    await addToCatalog(services, slug);
  }
  await addToCatalog(services, 'standard', { more: ['--proof', 'x402'] });
  owner = await newOwner(5_000_000n);
  session = await owner.createSession({ recipients: [services.payee], dailyCap: 5_000_000n });
  await asOwner(owner, 'PUT', '/v1/wallet/policy', {
    url_allowlist: [{ pattern: URL_PAID, max_per_call: 10_000 }],
    time_window: null,
  });
});
afterAll(() => services[Symbol.asyncDispose]());

const ask = (
  slug: string,
  body: object = {},
  { apiKey }: Pick<HttpSession, 'apiKey'> = session,
): Promise<HttpAnswer> =>
  call('POST', '/v1/spend/service', {
    headers: bearer(apiKey),
    body: { slug, max_amount: 5_000, ...body },
  });

const signPayment = (body: object = {}, headers: Record<string, string> = {}) =>
  call('POST', '/v1/spend/sign-payment', {
    headers: { ...bearer(session.apiKey), ...headers },
    body: { url: URL_PAID, recipient: services.payee, amount: PRICE, ...body },
  });

const earned = async (): Promise<bigint> => {
  const [balance = 0n] = await chain.balances([chain.usdcAccountOf(services.payee)]);
  return balance;
};

const listServices = async () =>
  itemsOf((await call('GET', '/v1/services', { headers: bearer(session.apiKey) })).body);

row('endpoints.sign-payment', async () => {
  const before = await earned();
  const { status, body } = await signPayment();
  expect(status).toBe(200);
  expect(body).toMatchObject({
    tx_signature: expect.stringMatching(/^\w{64,88}$/),
    payment_proof_header: expect.stringMatching(/./),
  });
  const { events } = await readTransaction(String(body['tx_signature']));
  expect(events).toMatchObject([
    { name: 'UsdcTransferred', data: { recipient: services.payee, amount: BigInt(PRICE) } },
  ]);
  expect(await earned()).toBe(before + BigInt(PRICE));
});

row('endpoints.sign-payment.proof', async () => {
  const { body } = await signPayment();
  const url = `${services.origin}/proof/today`;
  const proof = String(body['payment_proof_header']);
  expect((await fetch(url)).status).toBe(402);
  expect((await fetch(url, { headers: { 'X-Payment-Proof': proof } })).status).toBe(201);
});

row('open.sign-payment.proof', async () => {
  const { body } = await signPayment();
  expect(body['payment_proof_header']).toBe(body['tx_signature']);
  const pending = await signPayment({}, { prefer: 'wait=0' });
  expect(pending.status).toBe(202);
  expect(pending.body).not.toHaveProperty('payment_proof_header');
  const settled = await waitUntil('the payment', async () => {
    const path = `/v1/spend/${String(pending.body['spend_id'])}`;
    const read = (await call('GET', path, { headers: bearer(session.apiKey) })).body;
    return read['status'] === 'confirmed' && read;
  });
  expect(settled['payment_proof_header']).toBe(settled['tx_signature']);
});

row('rules.2.agent-retries', async () => {
  const before = services.seen('proof').length;
  expect((await signPayment()).status).toBe(200);
  expect(services.seen('proof')).toHaveLength(before);
  expect(await auditOf(owner, 'limit=1')).toMatchObject([
    { action: 'sign_payment', decision: 'allow', recipient_or_url: URL_PAID },
  ]);
});

row('endpoints.service', async () => {
  const { status, body } = await ask('proof', { path: '/weather?city=oslo' });
  expect([status, body]).toEqual([
    201,
    { sold: true, method: 'GET', url: '/proof/weather?city=oslo' },
  ]);
});

row('endpoints.service.x-tx-signature', async () => {
  const { headers } = await ask('proof');
  const { succeeded, events } = await readTransaction(headers.get('x-tx-signature') ?? '');
  expect(succeeded).toBe(true);
  expect(events).toMatchObject([{ data: { recipient: services.payee, amount: BigInt(PRICE) } }]);
});

row('rules.3.probe', async () => {
  const before = services.seen('proof').length;
  await ask('proof', { path: '/probe' });
  const [probe, ...later] = services.seen('proof').slice(before);
  expect(probe?.headers).not.toHaveProperty('x-payment-proof');
  expect(later).toHaveLength(1);
});

row('rules.3.repeats-with-proof', async () => {
  const { headers } = await ask('proof', { path: '/again' });
  const signature = headers.get('x-tx-signature');
  const repeated = services.seen('proof').at(-1);
  expect(repeated?.url).toBe('/proof/again');
  expect(repeated?.headers['x-payment-proof']).toBe(signature);
  expect(await auditOf(owner, 'limit=1')).toMatchObject([
    { action: 'pay_service', decision: 'allow', amount: String(PRICE), tx_signature: signature },
  ]);
});

row('rules.3.max-amount', async () => {
  const before = await earned();
  const refused = await ask('proof', { max_amount: PRICE - 1 });
  expect(refused).toMatchObject({ status: 402, body: { error: 'QUOTED_OVER_MAX' } });
  expect(await earned()).toBe(before);
});

row('limits.max_amount', async () => {
  expect((await ask('proof', { max_amount: PRICE - 1 })).status).toBe(402);
  expect((await ask('proof', { max_amount: PRICE })).status).toBe(201);
});

row('errors.402.quoted-over-max', async () => {
  expect(await ask('proof', { max_amount: 7 })).toMatchObject({
    status: 402,
    body: { error: 'QUOTED_OVER_MAX', quoted: PRICE, max_amount: 7 },
  });
});

row('rules.3.recipient', async () => {
  const one = await owner.createSession({ recipients: [await newRecipient()] });
  const before = await countHistory(one.sessionPda);
  const answer = await ask('proof', {}, one);
  expect(answer).toMatchObject({ status: 402, body: { error: 'on-chain submission failed' } });
  expect(answer.body['detail']).toMatch(/RecipientNotAllowed/);
  expect(await countHistory(one.sessionPda)).toBe(before);
});

row('rules.3.liquid', async () => {
  const poor = await newOwner(BigInt(PRICE - 1));
  const one = await poor.createSession({ recipients: [services.payee] });
  expect(await ask('proof', {}, one)).toMatchObject({
    status: 402,
    body: { error: 'INSUFFICIENT_LIQUID', amount: PRICE, deficit: 1 },
  });
});

row('rules.3.bypasses-urls', async () => {
  const other = await newOwner(100_000n);
  const one = await other.createSession({ recipients: [services.payee] });
  const { body } = await asOwner(other, 'GET', '/v1/wallet/policy');
  expect(body['url_allowlist']).toEqual([]);
  expect((await ask('proof', {}, one)).status).toBe(201);
});

row('rules.3.unknown-slug', async () => {
  expect((await ask('nobody')).status).toBe(404);
});

row('rules.3.disabled-slug', async () => {
  await addToCatalog(services, 'resting', { name: 'free' });
  expect((await ask('resting')).status).toBe(200);
  await catalog(['disable', 'resting']);
  expect((await ask('resting')).status).toBe(404);
});

row('errors.404.service', async () => {
  const { status, body } = await ask('nobody');
  expect([status, body['error']]).toEqual([404, "service 'nobody' not in catalog or disabled"]);
});

row('errors.502.service-probe-failed', async () => {
  expect(await ask('silent')).toMatchObject({
    status: 502,
    body: { error: 'service probe failed', retryable: true },
  });
});

row('catalog.slug', async () => {
  await addToCatalog(services, 'a-slug', { name: 'free' });
  expect((await ask('a-slug')).body).toEqual({ free: true });
  const listed = (await listServices()).map(({ slug }) => slug);
  expect(listed.filter((slug) => slug === 'a-slug')).toHaveLength(1);
  await expect(addToCatalog(services, 'a-slug')).rejects.toThrow(/already a service "a-slug"/);
});

row('catalog.explicit', async () => {
  expect((await ask('explicit')).status).toBe(404);
  await addToCatalog(services, 'explicit', { name: 'free' });
  expect((await ask('explicit')).status).toBe(200);
});

row('catalog.disabled', async () => {
  await addToCatalog(services, 'on-and-off', { name: 'free' });
  const statuses = [(await ask('on-and-off')).status];
  for (const verb of ['disable', 'enable']) {
    await catalog([verb, 'on-and-off']);
    statuses.push((await ask('on-and-off')).status);
  }
  expect(statuses).toEqual([200, 404, 200]);
});

row('service.catalog.fresh-is-empty', async () => {
  await using fresh = await createTestDatabase();
  const listed = await catalog(['list'], fresh.url);
  expect(listed.split('\n')).toEqual([expect.stringMatching(/^SLUG +ENABLED/)]);
});

row('open.catalog.fields', async () => {
  const entry = (await listServices()).find(({ slug }) => slug === 'proof');
  expect(entry).toEqual({
    slug: 'proof',
    name: 'proof',
    base_url: `${services.origin}/proof`,
    enabled: true,
    pay_to: services.payee,
    max_price: 5_000,
    method: null,
    proof: 'x-payment-proof',
    created_at: expect.stringMatching(/Z$/),
  });
});

row('open.catalog.list', async () => {
  await addToCatalog(services, 'hidden', { name: 'free' });
  const before = await listServices();
  await catalog(['disable', 'hidden']);
  const after = await listServices();
  expect(before.filter(({ slug }) => slug === 'hidden')).toHaveLength(1);
  expect(after).toEqual(before.filter(({ slug }) => slug !== 'hidden'));
});

row('open.service.path', async () => {
  await ask('free');
  await ask('free', { path: '/deeper?q=1' });
  expect(
    services
      .seen('free')
      .slice(-2)
      .map(({ url }) => url),
  ).toEqual(['/free', '/free/deeper?q=1']);
});

row('open.service.method', async () => {
  await addToCatalog(services, 'put', { name: 'free', more: ['--method', 'PUT'] });
  await ask('free');
  await ask('free', { body: { hello: 'world' } });
  await ask('put', { body: { hello: 'world' } });
  expect(
    services
      .seen('free')
      .slice(-3)
      .map(({ method }) => method),
  ).toEqual(['GET', 'POST', 'PUT']);
});

row('open.service.unpaid', async () => {
  const before = await auditOf(owner);
  const { status, body, headers } = await ask('free');
  expect([status, body]).toEqual([200, { free: true }]);
  expect(headers.get('x-tx-signature')).toBeNull();
  expect(await auditOf(owner)).toEqual(before);
});

row('open.service.mismatch', async () => {
  const before = await countHistory(session.sessionPda);
  expect(await ask('greedy')).toMatchObject({
    status: 502,
    body: { error: 'service probe failed', code: 'CHALLENGE_MISMATCH' },
  });
  expect(await countHistory(session.sessionPda)).toBe(before);
  expect(await auditOf(owner, 'limit=1')).toMatchObject([
    { decision: 'deny', reason: 'CHALLENGE_MISMATCH', action: 'pay_service' },
  ]);
});

row('open.service.not-delivered', async () => {
  const { status, body, headers } = await ask('thief');
  expect([status, body['error']]).toEqual([502, 'service did not deliver']);
  expect(body['spend_id']).toMatch(/^[0-9a-f-]{36}$/);
  expect(headers.get('x-tx-signature')).toBe(body['tx_signature']);
  expect(await readTransaction(String(body['tx_signature']))).toMatchObject({
    succeeded: true,
    events: [{ data: { amount: BigInt(PRICE) } }],
  });
});

row('open.service.x402', async () => {
  const before = await earned();
  const { status, body, headers } = await ask('standard', { path: '/oslo' });
  expect([status, body['sold']]).toEqual([201, true]);
  expect(await earned()).toBe(before + BigInt(PRICE));
  const { signers, succeeded } = await readTransaction(headers.get('x-tx-signature') ?? '');
  expect(succeeded).toBe(true);
  // The facilitator's, who pays the fee, and the session's.
  expect(signers).toHaveLength(2);
});

row('open.agent.off', async () => {
  const headers = bearer(session.apiKey);
  const asked = [
    await callOther('api-plain', 'GET', '/v1/agent/limits', { headers }),
    await callOther('api-plain', 'GET', '/v1/services', { headers }),
    await callOther('api-plain', 'POST', '/v1/spend/quote', { headers, body: {} }),
  ];
  for (const answer of asked) {
    expect(answer).toMatchObject({ status: 404, body: { error: 'route not found' } });
  }
});

row('open.agent.limits', async () => {
  const one = await owner.createSession({
    recipients: [services.payee],
    maxPerTx: 500n,
    dailyCap: 900n,
    expiry: 4_000_000_000n,
  });
  await transfer(one.apiKey, { recipient: services.payee, amount: 300 });
  const { body } = await call('GET', '/v1/agent/limits', { headers: bearer(one.apiKey) });
  expect(body).toMatchObject({
    session_id: one.sessionId,
    status: 'live',
    max_per_tx: 500,
    daily_cap: 900,
    daily_spent: 300,
    daily_remaining: 600,
    expiry: 4_000_000_000,
    allowed_recipients: [services.payee],
    allowed_instructions: 1,
    window_open: true,
  });
});

const quote = async (amount: number): Promise<HttpAnswer['body']> => {
  const body = { kind: 'transfer', recipient: services.payee, amount };
  return (await call('POST', '/v1/spend/quote', { headers: bearer(session.apiKey), body })).body;
};

row('open.agent.quote', async () => {
  const before = [await earned(), await auditOf(owner)];
  expect(await quote(10)).toMatchObject({ allowed: true, refusals: [] });
  expect(await quote(1_000_001)).toMatchObject({
    allowed: false,
    refusals: [{ status: 402, code: 'AmountExceedsMaxPerTx' }],
  });
  expect([await earned(), await auditOf(owner)]).toEqual(before);
});
