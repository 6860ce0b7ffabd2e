/** Standard x402 outside the catalog, against a scripted API and a scripted service. */
import { describe, expect, it } from 'vitest';
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
const FEE_PAYER = 'GjJyeC1r2RgkuoCWMyPYkCWSGSGLcz266EaAkLA27AhL';
const SPEND_ID = '0190f5a4-7d3c-8e21-a6b4-2f9c0d1e3a57';
const SHOP = 'https://shop.example/goods';
const SIGNATURE = '5'.repeat(88);

const inHeader = (value: object): string => btoa(JSON.stringify(value));
const offer = {
  scheme: 'exact',
  network: 'solana:EtWTRABZaYq6iMfeYKouRu166VU2xqa1',
  asset: MINT,
  payTo: PAYEE,
  amount: '20000',
  maxTimeoutSeconds: 60,
  extra: { feePayer: FEE_PAYER },
};
const resource = { url: SHOP };
const noServices = () => reply(200, { items: [] });
const challenge = () => reply(402, { x402Version: 2, resource, accepts: [offer] });
const pending = () => reply(202, { spend_id: SPEND_ID, status: 'pending', tx_signature: null });
const signed = () =>
  reply(202, {
    spend_id: SPEND_ID,
    status: 'pending',
    tx_signature: null,
    transaction: 'AQID',
  });
const settled = { 'payment-response': inHeader({ success: true, transaction: SIGNATURE }) };
const spend = (fields: object) => () =>
  reply(200, {
    spend_id: SPEND_ID,
    kind: 'sign_payment',
    status: 'pending',
    finalized: false,
    amount: 20_000,
    recipient_or_url: SHOP,
    tx_signature: null,
    error: null,
    code: null,
    detail: null,
    payment_proof_header: null,
    upstream: null,
    created_at: '2027-01-15T08:00:00.000Z',
    settled_at: null,
    ...fields,
  });
const open = spend({});
const landed = spend({ status: 'confirmed', tx_signature: SIGNATURE });
const expired = spend({
  status: 'rejected',
  code: 'NOT_SETTLED',
  error: 'service did not deliver',
});

/** Up to the signed transaction; then the service responds to it, and the API to the reads. */
const signedAt = (...responses: readonly Scripted[]) =>
  script(noServices, challenge, config, signed, ...responses);

const buy = ({ wallet }: ReturnType<typeof script>, init: RequestInit = {}) =>
  wallet.fetch(SHOP, { maxAmount: 20_000n, idempotencyKey: 'order-7', ...init });

const shown = ({ sent }: ReturnType<typeof script>) =>
  sent.filter(({ headers }) => headers.has('payment-signature'));
const signings = ({ sent }: ReturnType<typeof script>) =>
  sent.filter(({ url }) => url.endsWith('/v1/spend/sign-payment'));

describe('a standard x402 service outside the catalog', () => {
  it('gets the same request with the transaction, and its response once the chain shows it', async () => {
    const run = signedAt(reply(200, { goods: 1 }, settled), open, landed);
    const response = await buy(run, { method: 'POST', body: '{"of":"mine"}' });
    expect([response.status, await response.json()]).toEqual([200, { goods: 1 }]);
    expect(response.headers.get('x-tx-signature')).toBe(SIGNATURE);
    expect(response.headers.get('x-spend-id')).toBe(SPEND_ID);
    expect(signings(run).map(({ body }) => body)).toEqual([
      { url: SHOP, recipient: PAYEE, amount: '20000', facilitator: { fee_payer: FEE_PAYER } },
    ]);
    const [request, ...others] = shown(run);
    expect(others).toEqual([]);
    expect([request?.method, request?.body]).toEqual(['POST', { of: 'mine' }]);
    expect(request?.headers.has('authorization')).toBe(false);
    expect(JSON.parse(atob(request?.headers.get('payment-signature') ?? ''))).toEqual({
      x402Version: 2,
      resource,
      accepted: offer,
      payload: { transaction: 'AQID' },
    });
  });

  it('waits under one key until the transaction is signed', async () => {
    const signing = [pending, pending, signed];
    const paid = reply(200, {}, settled);
    const run = script(noServices, challenge, config, ...signing, paid, landed);
    expect((await buy(run)).status).toBe(200);
    const keys = signings(run).map(({ headers }) => headers.get('idempotency-key'));
    expect(keys).toEqual(['order-7', 'order-7', 'order-7']);
  });

  it.each([
    [
      'in PAYMENT-REQUIRED',
      { 'payment-required': inHeader({ error: 'not\nlisted' }) },
      /not\?listed/,
    ],
    [
      'in PAYMENT-RESPONSE',
      { 'payment-response': inHeader({ success: false, errorReason: 'no money' }) },
      /no money/,
    ],
    ['in no header', {}, /no reason given/],
    ['in a header that is no JSON', { 'payment-response': '%%%' }, /no reason given/],
  ])(
    'that answers another 402 is PAYMENT_REFUSED, with its reason %s',
    async (_in, headers, why) => {
      const run = signedAt(reply(402, {}, headers));
      await expect(buy(run)).rejects.toMatchObject({
        code: 'PAYMENT_REFUSED',
        detail: expect.stringMatching(why),
        details: { spend_id: SPEND_ID },
        idempotencyKey: 'order-7',
        retryable: false,
      });
      expect([shown(run).length, signings(run).length]).toEqual([1, 1]);
    },
  );

  it('that reports its settlement as pending is decided by the chain', async () => {
    const late = {
      'payment-response': inHeader({ success: false, errorReason: 'settlement_pending' }),
    };
    const paid = await buy(signedAt(reply(402, {}, late), open, landed));
    expect([paid.status, paid.headers.get('x-tx-signature')]).toEqual([402, SIGNATURE]);
    await expect(buy(signedAt(reply(402, {}, late), expired))).rejects.toMatchObject({
      code: 'NOT_SETTLED',
    });
  });

  it('that delivers unpaid has its response returned, without a signature', async () => {
    for (const reads of [[expired], Array.from({ length: 10 }, () => open)]) {
      const response = await buy(signedAt(reply(200, { goods: 1 }), ...reads));
      expect(await response.json()).toEqual({ goods: 1 });
      expect(response.headers.get('x-spend-id')).toBe(SPEND_ID);
      expect(response.headers.has('x-tx-signature')).toBe(false);
    }
  });

  it('cannot name the signature of the payment itself', async () => {
    const lie = { 'x-tx-signature': 'mine', 'x-spend-id': 'mine' };
    const response = await buy(signedAt(reply(200, {}, lie), expired));
    expect(response.headers.has('x-tx-signature')).toBe(false);
    expect(response.headers.get('x-spend-id')).toBe(SPEND_ID);
  });

  it('that never responds is asked once, and the chain tells whether it was paid', async () => {
    const paid = signedAt(unreachable, open, landed);
    await expect(buy(paid)).rejects.toMatchObject({
      code: 'SERVICE_DID_NOT_DELIVER',
      details: { spend_id: SPEND_ID, tx_signature: SIGNATURE },
      idempotencyKey: 'order-7',
    });
    expect(shown(paid)).toHaveLength(1);
    await expect(buy(signedAt(unreachable, expired))).rejects.toMatchObject({
      code: 'NOT_SETTLED',
    });
  });

  it('is not shown a payment that has landed under the key', async () => {
    const earlier = reply(200, {
      tx_signature: SIGNATURE,
      payment_proof_header: SIGNATURE,
      spend_id: SPEND_ID,
    });
    const run = script(noServices, challenge, config, earlier);
    await expect(buy(run)).rejects.toMatchObject({
      code: 'SERVICE_DID_NOT_DELIVER',
      details: { tx_signature: SIGNATURE },
      remedy: expect.stringMatching(/earlier call/),
    });
    expect(shown(run)).toEqual([]);
  });

  it('is not called again where the API refuses, or asks too much', async () => {
    const refused = refusal(502, 'UNSUPPORTED_BY_SERVICE', { retryable: false });
    const run = script(noServices, challenge, config, refused);
    await expect(buy(run)).rejects.toMatchObject({ code: 'UNSUPPORTED_BY_SERVICE' });
    const dear = script(noServices, challenge, config);
    await expect(dear.wallet.fetch(SHOP, { maxAmount: 19_999n })).rejects.toMatchObject({
      code: 'QUOTED_OVER_MAX',
    });
    expect([shown(run), shown(dear)]).toEqual([[], []]);
  });
});
