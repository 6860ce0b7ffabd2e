import { afterAll, expect } from 'vitest';
import { createTestDatabase } from '../../support/database/test-database.ts';
import { waitUntil } from '../../support/wait-until.ts';
import { countHistory, readTransaction } from '../chain-history.ts';
import { row } from '../row.ts';
import { addToCatalog, catalog, openServices, PRICE } from '../services.ts';
import {
  type Agent,
  bearer,
  callOther,
  chain,
  itemsOf,
  newOwner,
  newRecipient,
  refused,
} from '../world.ts';

const URL_PAID = 'https://almanac.example/today';

const services = await openServices();
afterAll(() => services[Symbol.asyncDispose]());
const { payee } = services;
for (const slug of ['proof', 'free', 'silent', 'greedy', 'thief']) {
  await addToCatalog(services, slug);
}
await addToCatalog(services, 'standard', { more: ['--proof', 'x402'] });
const owner = await newOwner(5_000_000n);
const agent = await owner.openAgent(payee, { dailyCap: 5_000_000n });
await owner.call('PUT', '/v1/wallet/policy', {
  url_allowlist: [{ pattern: URL_PAID, max_per_call: 10_000 }],
  time_window: null,
});

const pay = (slug: string, body: object = {}, who: Pick<Agent, 'call'> = agent) =>
  who.call('POST', '/v1/spend/service', { slug, max_amount: 5_000, ...body });
const statusOf = async (slug: string) => (await pay(slug)).status;

const signPayment = (headers: Record<string, string> = {}) => {
  const body = { url: URL_PAID, recipient: payee, amount: PRICE };
  return agent.call('POST', '/v1/spend/sign-payment', body, headers);
};

const earned = async (): Promise<bigint> =>
  (await chain.balances([chain.usdcAccountOf(payee)]))[0] ?? 0n;
const auditOfAgent = () => owner.audit(`session_id=${agent.sessionId}`);
const newest = async () => (await auditOfAgent())[0];
const listServices = async () => itemsOf((await agent.call('GET', '/v1/services')).body);
const paidOnce = {
  succeeded: true,
  events: [{ name: 'UsdcTransferred', data: { recipient: payee, amount: BigInt(PRICE) } }],
};

row(
  ['endpoints.sign-payment', 'endpoints.sign-payment.proof', 'rules.2.agent-retries'],
  async () => {
    const [before, requests] = [await earned(), services.seen('proof').length];
    const { status, body } = await signPayment();
    expect(status).toBe(200);
    const [signature, proof] = [body['tx_signature'], String(body['payment_proof_header'])];
    expect(signature).toMatch(/^\w{64,88}$/);
    expect(await readTransaction(String(signature))).toMatchObject(paidOnce);
    expect(await earned()).toBe(before + BigInt(PRICE));
    expect(await newest()).toMatchObject({
      action: 'sign_payment',
      decision: 'allow',
      recipient_or_url: URL_PAID,
    });
    // The backend paid; only the agent sends requests to the service.
    expect(services.seen('proof')).toHaveLength(requests);
    const url = `${services.origin}/proof/today`;
    expect((await fetch(url)).status).toBe(402);
    expect((await fetch(url, { headers: { 'X-Payment-Proof': proof } })).status).toBe(201);
  },
);

row('open.sign-payment.proof', async () => {
  const { body } = await signPayment();
  expect(body['payment_proof_header']).toBe(body['tx_signature']);
  const pending = await signPayment({ prefer: 'wait=0' });
  expect(pending.status).toBe(202);
  expect(pending.body).not.toHaveProperty('payment_proof_header');
  const settled = await waitUntil('the payment', async () => {
    const read = await agent.call('GET', `/v1/spend/${String(pending.body['spend_id'])}`);
    return read.body['status'] === 'confirmed' && read.body;
  });
  expect(settled['payment_proof_header']).toBe(settled['tx_signature']);
});

row(
  [
    'endpoints.service',
    'endpoints.service.x-tx-signature',
    'rules.3.probe',
    'rules.3.repeats-with-proof',
  ],
  async () => {
    const before = services.seen('proof').length;
    const { status, body, headers } = await pay('proof', { path: '/weather?city=oslo' });
    const url = '/proof/weather?city=oslo';
    expect([status, body]).toEqual([201, { sold: true, method: 'GET', url }]);
    const signature = headers.get('x-tx-signature') ?? '';
    expect(await readTransaction(signature)).toMatchObject(paidOnce);
    const [probe, repeated, ...further] = services.seen('proof').slice(before);
    expect(probe?.headers).not.toHaveProperty('x-payment-proof');
    expect(repeated).toMatchObject({ url, headers: { 'x-payment-proof': signature } });
    expect(further).toEqual([]);
    expect(await newest()).toMatchObject({
      action: 'pay_service',
      decision: 'allow',
      amount: String(PRICE),
      tx_signature: signature,
    });
  },
);

row(['errors.402.quoted-over-max', 'limits.max_amount', 'rules.3.max-amount'], async () => {
  const before = await earned();
  const expected = refused(402, 'QUOTED_OVER_MAX', { quoted: PRICE, max_amount: PRICE - 1 });
  expect(await pay('proof', { max_amount: PRICE - 1 })).toMatchObject(expected);
  expect(await earned()).toBe(before);
  expect((await pay('proof', { max_amount: PRICE })).status).toBe(201);
});

row('rules.3.recipient', async () => {
  const one = await owner.openAgent(await newRecipient());
  const before = await countHistory(one.sessionPda);
  const answer = await pay('proof', {}, one);
  expect(answer).toMatchObject(refused(402, 'on-chain submission failed'));
  expect(answer.body['detail']).toMatch(/RecipientNotAllowed/);
  expect(await countHistory(one.sessionPda)).toBe(before);
});

row('rules.3.liquid', async () => {
  const one = await (await newOwner(BigInt(PRICE - 1))).openAgent(payee);
  const expected = refused(402, 'INSUFFICIENT_LIQUID', { amount: PRICE, deficit: 1 });
  expect(await pay('proof', {}, one)).toMatchObject(expected);
});

row('rules.3.bypasses-urls', async () => {
  const other = await newOwner(100_000n);
  const one = await other.openAgent(payee);
  const { body } = await other.call('GET', '/v1/wallet/policy');
  expect(body['url_allowlist']).toEqual([]);
  expect((await pay('proof', {}, one)).status).toBe(201);
});

row('errors.502.service-probe-failed', async () => {
  const expected = refused(502, 'service probe failed', { retryable: true });
  expect(await pay('silent')).toMatchObject(expected);
});

row(
  [
    'catalog.disabled',
    'catalog.explicit',
    'catalog.slug',
    'errors.404.service',
    'open.catalog.list',
    'rules.3.disabled-slug',
    'rules.3.unknown-slug',
  ],
  async () => {
    const listed = async () => (await listServices()).filter(({ slug }) => slug === 'a-slug');
    const expected = refused(404, "service 'a-slug' not in catalog or disabled");
    expect(await pay('a-slug')).toMatchObject(expected);
    const others = await listServices();
    await addToCatalog(services, 'a-slug', { name: 'free' });
    expect((await pay('a-slug')).body).toEqual({ free: true });
    expect(await listed()).toHaveLength(1);
    await expect(addToCatalog(services, 'a-slug')).rejects.toThrow(/already a service "a-slug"/);
    await catalog(['disable', 'a-slug']);
    expect(await pay('a-slug')).toMatchObject(expected);
    expect(await listServices()).toEqual(others);
    await catalog(['enable', 'a-slug']);
    expect(await statusOf('a-slug')).toBe(200);
  },
);

row('service.catalog.fresh-is-empty', async () => {
  await using fresh = await createTestDatabase();
  const listed = await catalog(['list'], fresh.url);
  expect(listed.split('\n')).toEqual([expect.stringMatching(/^SLUG +ENABLED/)]);
});

row('open.catalog.fields', async () => {
  expect((await listServices()).find(({ slug }) => slug === 'proof')).toEqual({
    slug: 'proof',
    name: 'proof',
    base_url: `${services.origin}/proof`,
    enabled: true,
    pay_to: payee,
    max_price: 5_000,
    method: null,
    proof: 'x-payment-proof',
    created_at: expect.stringMatching(/Z$/),
  });
});

row(['open.service.method', 'open.service.path'], async () => {
  await addToCatalog(services, 'put', { name: 'free', more: ['--method', 'PUT'] });
  const before = services.seen('free').length;
  await pay('free');
  await pay('free', { path: '/deeper?q=1' });
  await pay('free', { body: { hello: 'world' } });
  await pay('put', { body: { hello: 'world' } });
  expect(services.seen('free').slice(before)).toMatchObject([
    { method: 'GET', url: '/free' },
    { method: 'GET', url: '/free/deeper?q=1' },
    { method: 'POST', url: '/free' },
    { method: 'PUT', url: '/free' },
  ]);
});

row('open.service.unpaid', async () => {
  const before = await owner.audit();
  const { status, body, headers } = await pay('free');
  expect([status, body]).toEqual([200, { free: true }]);
  expect(headers.get('x-tx-signature')).toBeNull();
  expect(await owner.audit()).toEqual(before);
});

row('open.service.mismatch', async () => {
  const before = await countHistory(agent.sessionPda);
  const code = 'CHALLENGE_MISMATCH';
  expect(await pay('greedy')).toMatchObject(refused(502, 'service probe failed', { code }));
  expect(await countHistory(agent.sessionPda)).toBe(before);
  expect(await newest()).toMatchObject({ decision: 'deny', reason: code, action: 'pay_service' });
});

row('open.service.not-delivered', async () => {
  const { status, body, headers } = await pay('thief');
  expect([status, body['error']]).toEqual([502, 'service did not deliver']);
  expect(body['spend_id']).toMatch(/^[0-9a-f-]{36}$/);
  expect(headers.get('x-tx-signature')).toBe(body['tx_signature']);
  expect(await readTransaction(String(body['tx_signature']))).toMatchObject(paidOnce);
});

row('open.service.x402', async () => {
  const before = await earned();
  const { status, body, headers } = await pay('standard', { path: '/oslo' });
  expect([status, body['sold']]).toEqual([201, true]);
  expect(await earned()).toBe(before + BigInt(PRICE));
  const { signers, succeeded } = await readTransaction(headers.get('x-tx-signature') ?? '');
  expect(succeeded).toBe(true);
  // The facilitator, which pays the fee, and the session.
  expect(signers).toHaveLength(2);
});

row('open.agent.off', async () => {
  const headers = bearer(agent.apiKey);
  for (const answer of [
    await callOther('api-plain', 'GET', '/v1/agent/limits', { headers }),
    await callOther('api-plain', 'GET', '/v1/services', { headers }),
    await callOther('api-plain', 'POST', '/v1/spend/quote', { headers, body: {} }),
  ]) {
    expect(answer).toMatchObject(refused(404, 'route not found'));
  }
});

row('open.agent.limits', async () => {
  const limits = { maxPerTx: 500n, dailyCap: 900n, expiry: 4_000_000_000n };
  const one = await owner.openAgent(payee, limits);
  await one.pay(300);
  expect((await one.call('GET', '/v1/agent/limits')).body).toMatchObject({
    session_id: one.sessionId,
    status: 'live',
    max_per_tx: 500,
    daily_cap: 900,
    daily_spent: 300,
    daily_remaining: 600,
    expiry: 4_000_000_000,
    allowed_recipients: [payee],
    allowed_instructions: 1,
    window_open: true,
  });
});

const quote = async (amount: number) => {
  const body = { kind: 'transfer', recipient: payee, amount };
  return (await agent.call('POST', '/v1/spend/quote', body)).body;
};

row('open.agent.quote', async () => {
  const before = [await earned(), await auditOfAgent()];
  expect(await quote(10)).toMatchObject({ allowed: true, refusals: [] });
  expect(await quote(1_000_001)).toMatchObject({
    allowed: false,
    refusals: [{ status: 402, code: 'AmountExceedsMaxPerTx' }],
  });
  expect([await earned(), await auditOfAgent()]).toEqual(before);
});
