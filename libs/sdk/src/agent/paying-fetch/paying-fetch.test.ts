/** The `fetch` that pays, against a scripted API and a scripted service. */
import { describe, expect, it, test } from 'vitest';
import {
  config,
  MINT,
  refusal,
  reply,
  script,
  type Scripted,
  unreachable,
} from '../../../fixtures/scripted-api.ts';

const PAYEE = 'HWHvQhFmJB3NUcu1aihKmrKegfVxBEHzwVX6yZCKEsi1';
const SPEND_ID = '0190f5a4-7d3c-8e21-a6b4-2f9c0d1e3a57';
const SHOP = 'https://shop.example/goods';

const FILLER = new Uint8Array(20_000);

const noServices = () => reply(200, { items: [] });
const challenge = () =>
  reply(402, {
    x402Version: 2,
    accepts: [
      {
        scheme: 'exact',
        network: 'solana-devnet',
        asset: MINT,
        payTo: PAYEE,
        amount: '20000',
        extra: { proof: 'x-payment-proof' },
      },
    ],
  });
const proof = () =>
  reply(200, { tx_signature: 'sig', payment_proof_header: 'proof', spend_id: SPEND_ID });
const pending = () => reply(202, { spend_id: SPEND_ID, status: 'pending', tx_signature: null });

/** Up to the payment; then the service responds to the request with the proof. */
const paidAt = (...responses: readonly Scripted[]) =>
  script(noServices, challenge, config, proof, ...responses);

const buy = ({ wallet }: ReturnType<typeof script>, init: RequestInit = {}) =>
  wallet.fetch(SHOP, { maxAmount: 20_000n, ...init });

const pathsOf = ({ sent }: ReturnType<typeof script>) =>
  sent.map(({ method, url }) => `${method} ${url.replace('https://api.example.com', '')}`);

describe('a service that takes X-Payment-Proof', () => {
  it('is paid its price and gets the same request with the proof', async () => {
    const run = paidAt(reply(200, { goods: 1 }));
    const response = await buy(run, { method: 'POST', body: '{"of":"mine"}', headers: { a: 'b' } });
    expect(await response.json()).toEqual({ goods: 1 });
    expect([...response.headers]).toEqual(
      expect.arrayContaining([
        ['x-spend-id', SPEND_ID],
        ['x-tx-signature', 'sig'],
      ]),
    );
    expect(pathsOf(run)).toEqual([
      'GET /v1/services',
      `POST ${SHOP}`,
      'GET /v1/config',
      'POST /v1/spend/sign-payment',
      `POST ${SHOP}`,
    ]);
    const [, first, , payment, second] = run.sent;
    expect(payment?.body).toEqual({ url: SHOP, recipient: PAYEE, amount: '20000' });
    expect(second?.body).toEqual(first?.body);
    expect([first, second].map((one) => one?.headers.get('x-payment-proof'))).toEqual([
      null,
      'proof',
    ]);
    // The key of the API is for the API alone.
    expect([first, second].map((one) => one?.headers.get('authorization'))).toEqual([null, null]);
  });

  it('gets the same proof again while it does not deliver, and is not paid again', async () => {
    const run = paidAt(reply(503, null), unreachable, reply(200, {}));
    expect((await buy(run)).status).toBe(200);
    expect(run.pauses).toEqual([1_000, 2_000]);
    expect(pathsOf(run).filter((path) => path.includes('sign-payment'))).toHaveLength(1);
  });

  it('has its last response returned, with the signature of the payment', async () => {
    const response = await buy(paidAt(challenge, challenge, challenge));
    expect([response.status, response.headers.get('x-tx-signature')]).toEqual([402, 'sig']);
  });

  it('that never responds after the payment is an error that says what was paid', async () => {
    await expect(buy(paidAt(unreachable, unreachable, unreachable))).rejects.toMatchObject({
      code: 'SERVICE_DID_NOT_DELIVER',
      details: { spend_id: SPEND_ID, tx_signature: 'sig' },
      idempotencyKey: expect.any(String),
    });
  });

  it('is not shown a redirect with the proof', async () => {
    const redirect = new Response(null, {
      status: 302,
      headers: { location: 'https://x.example' },
    });
    expect((await buy(paidAt(redirect))).status).toBe(302);
  });
});

test('a refused payment is thrown, and the service gets no second request', async () => {
  const refused = refusal(403, 'URL_NOT_ALLOWED', { retryable: false });
  const run = script(noServices, challenge, config, refused);
  await expect(buy(run)).rejects.toMatchObject({ code: 'URL_NOT_ALLOWED' });
  expect(run.sent).toHaveLength(4);
});

test.each([
  ['is longer than a challenge', () => new ReadableStream({ pull: (to) => to.enqueue(FILLER) })],
  ['breaks off', () => new ReadableStream({ pull: (to) => to.error(new Error('reset')) })],
])('a 402 whose body %s is not paid', async (_how, body) => {
  const run = script(noServices, new Response(body(), { status: 402 }), config);
  await expect(buy(run)).rejects.toMatchObject({ code: 'NOT_PAYABLE' });
  expect(run.sent).toHaveLength(3);
});

test('a stream as the body is refused before any request to the service', async () => {
  const run = script(noServices);
  const body = new ReadableStream();
  await expect(buy(run, { method: 'POST', body })).rejects.toMatchObject({ code: 'NOT_PAYABLE' });
  expect(run.sent).toHaveLength(1);
});

test('an API without the extensions for agents has no services to pay by slug', async () => {
  const missing = refusal(404, 'ROUTE_NOT_FOUND', { retryable: false });
  const response = await buy(script(missing, reply(200, { free: true })));
  expect(await response.json()).toEqual({ free: true });
});

describe('a service of the catalog', () => {
  const entry = {
    slug: 'shop',
    name: 'Shop',
    base_url: 'https://shop.example',
    enabled: true,
    pay_to: PAYEE,
    max_price: 50_000,
    method: null,
    proof: 'x402',
    created_at: '2027-01-15T08:00:00.000Z',
  };
  const catalog = () => reply(200, { items: [entry] });
  const paid = { 'x-spend-id': SPEND_ID, 'x-tx-signature': 'sig', 'x-request-id': 'id' };

  it('is called through the API, under one key until the outcome is known', async () => {
    const run = script(catalog, pending, pending, reply(200, { goods: 1 }, paid));
    const response = await buy(run);
    expect(await response.json()).toEqual({ goods: 1 });
    const calls = run.sent.slice(1);
    expect(calls).toHaveLength(3);
    expect(calls.map(({ body }) => body)).toEqual(
      calls.map(() => ({ slug: 'shop', path: '/goods', max_amount: '20000' })),
    );
    expect(new Set(calls.map(({ headers }) => headers.get('idempotency-key'))).size).toBe(1);
  });

  it('has its own errors returned, also in the form of a refusal once it is paid', async () => {
    const error = { error: 'x', code: 'x', layer: 'off-chain', retryable: true };
    const response = await buy(script(catalog, reply(503, error, paid)));
    expect([response.status, await response.json()]).toEqual([503, error]);
    const unpaid = await buy(script(catalog, reply(503, null, { 'x-request-id': 'id' })));
    expect(unpaid.status).toBe(503);
  });

  it('is read from the list once a minute', async () => {
    const run = script(catalog, reply(200, {}, paid), reply(200, {}, paid));
    await buy(run);
    await buy(run);
    expect(pathsOf(run)).toEqual([
      'GET /v1/services',
      'POST /v1/spend/service',
      'POST /v1/spend/service',
    ]);
  });

  it('whose payment stays pending is an error with the key of the call', async () => {
    const run = script(catalog, pending, pending, pending);
    const call = run.wallet.fetch(SHOP, { maxAmount: 1n, timeoutMs: 2_500, idempotencyKey: 'k' });
    await expect(call).rejects.toMatchObject({
      code: 'PENDING',
      details: { spend_id: SPEND_ID },
      idempotencyKey: 'k',
    });
  });
});
