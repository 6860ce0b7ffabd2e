/** The adapter on the real client of `@x402/fetch`, with a scripted API and service. */
import { decodePaymentSignatureHeader } from '@x402/core/http';
import { wrapFetchWithPayment, x402Client, x402HTTPClient } from '@x402/fetch';
import { beforeEach, expect, test, vi } from 'vitest';
import { config, MINT, reply, script, type Scripted } from '../../fixtures/scripted-api.ts';
import { usdc } from '../amount/usdc.ts';
import { registerAgentWallet } from './register-agent-wallet.ts';

const URL_OF_SERVICE = 'https://shop.example/one';
const PAYEE = 'HWHvQhFmJB3NUcu1aihKmrKegfVxBEHzwVX6yZCKEsi1';
const NETWORK = 'solana:EtWTRABZaYq6iMfeYKouRu166VU2xqa1';
const SPEND = {
  spend_id: '0190a1b2-c3d4-4e5f-8a6b-7c8d9e0f1a2b',
  tx_signature: '5'.repeat(88),
  payment_proof_header: '5'.repeat(88),
};
const SIGNED = () => reply(200, SPEND);
const offer = (extra: object, amount = '20000') => ({
  scheme: 'exact',
  network: NETWORK,
  amount,
  asset: MINT,
  payTo: PAYEE,
  maxTimeoutSeconds: 60,
  extra,
});
const challenge =
  (...accepts: readonly object[]) =>
  () => {
    const terms = { x402Version: 2, resource: { url: URL_OF_SERVICE }, accepts };
    const header = Buffer.from(JSON.stringify(terms)).toString('base64');
    return reply(402, {}, { 'payment-required': header });
  };
const PROOF = challenge(offer({ proof: 'x-payment-proof' }));
const sold = () => reply(200, { sold: true });

const EVM_ASSET = '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913';
const otherScheme = {
  scheme: 'exact',
  findDefaultAsset: (asset: string) => ({ asset, decimals: 6, symbol: 'USDC' }),
  createPaymentPayload:
    vi.fn<() => Promise<{ x402Version: number; payload: Record<string, unknown> }>>(),
};
beforeEach(() => otherScheme.createPaymentPayload.mockReset());

const refused = () =>
  reply(403, {
    error: 'URL_NOT_ALLOWED',
    code: 'URL_NOT_ALLOWED',
    layer: 'off-chain',
    retryable: false,
  });

/** Calls the service with these replies of its own, and of the API. */
const open = (service: readonly (() => Response)[], ...api: readonly Scripted[]) =>
  openWith({}, service, ...api);

function openWith(
  options: { readonly idempotencyKey?: (requestUrl: string) => string },
  service: readonly (() => Response)[],
  ...api: readonly Scripted[]
) {
  const { wallet, sent } = script(...api);
  const client = new x402Client();
  const httpClient = new x402HTTPClient(client);
  registerAgentWallet({ client, httpClient }, wallet, { maxAmount: usdc('0.05'), ...options });
  client.register('eip155:*', otherScheme);
  const proofs: (string | null)[] = [];
  const payments: (string | null)[] = [];
  const call = wrapFetchWithPayment(async (input, init) => {
    const { headers } = new Request(input, init);
    proofs.push(headers.get('x-payment-proof'));
    payments.push(headers.get('payment-signature'));
    const next = service[proofs.length - 1];
    if (next === undefined) throw new Error('this request is not in the script');
    return next();
  }, httpClient);
  return { call: () => call(URL_OF_SERVICE), sent, proofs, payments };
}

test('a 402 that takes a proof is paid, and the request repeated with the proof', async () => {
  const { call, sent, proofs } = open([PROOF, sold], config, SIGNED);
  const response = await call();
  expect([response.status, proofs]).toEqual([200, [null, SPEND.payment_proof_header]]);
  expect(sent[1]?.body).toEqual({ url: URL_OF_SERVICE, recipient: PAYEE, amount: '20000' });
  expect(sent[1]?.headers.get('idempotency-key')).not.toBeNull();
});

test('a service that still responds with 402 is not paid again, by no scheme', async () => {
  const evm = { ...offer({}), network: 'eip155:8453' };
  const both = challenge(offer({ proof: 'x-payment-proof' }), evm);
  const { call, sent } = open([both, both], config, SIGNED);
  await expect(call()).rejects.toThrow(/has paid with 5+, and the service still responds with 402/);
  expect(sent).toHaveLength(2);
  expect(otherScheme.createPaymentPayload).not.toHaveBeenCalled();
});

const idempotencyKey = (requestUrl: string) => `order-7/${requestUrl}`;

test('a call after an error has the key of the first one, where the caller gives it', async () => {
  const keysOf = (sent: ReturnType<typeof open>['sent']) =>
    sent
      .filter(({ method }) => method === 'POST')
      .map(({ headers }) => headers.get('idempotency-key'));
  const services = [PROOF, PROOF, sold];
  const keyed = openWith({ idempotencyKey }, services, config, refused, config, SIGNED);
  await expect(keyed.call()).rejects.toMatchObject({ code: 'URL_NOT_ALLOWED' });
  expect((await keyed.call()).status).toBe(200);
  const key = `order-7/${URL_OF_SERVICE}`;
  expect(keysOf(keyed.sent)).toEqual([key, key]);
  const other = open(services, config, refused, config, SIGNED);
  await expect(other.call()).rejects.toMatchObject({ code: 'URL_NOT_ALLOWED' });
  await other.call();
  expect(new Set(keysOf(other.sent)).size).toBe(2);
});

test('a price above the maximum, and a refusal of the API, end the call before another pays', async () => {
  const dear = challenge(offer({ proof: 'x-payment-proof' }, '50001'));
  await expect(open([dear], config).call()).rejects.toMatchObject({ code: 'QUOTED_OVER_MAX' });
  const { call, proofs } = open([PROOF], config, refused);
  await expect(call()).rejects.toMatchObject({ code: 'URL_NOT_ALLOWED' });
  expect(proofs).toEqual([null]);
});

const FEE_PAYER = 'GjJyeC1r2RgkuoCWMyPYkCWSGSGLcz266EaAkLA27AhL';
const STANDARD = challenge(offer({ feePayer: FEE_PAYER, memo: 'order 7' }));
const HANDED_OUT = () =>
  reply(202, {
    spend_id: SPEND.spend_id,
    status: 'pending',
    tx_signature: null,
    transaction: 'AQID',
  });

test('a standard x402 offer is paid with a signed transaction', async () => {
  const { call, sent, payments } = open([STANDARD, sold], config, HANDED_OUT);
  expect((await call()).status).toBe(200);
  expect(sent[1]?.body).toEqual({
    url: URL_OF_SERVICE,
    recipient: PAYEE,
    amount: '20000',
    facilitator: { fee_payer: FEE_PAYER, memo: 'order 7' },
  });
  expect(payments.map((one) => one && decodePaymentSignatureHeader(one))).toEqual([
    null,
    {
      x402Version: 2,
      resource: { url: URL_OF_SERVICE },
      accepted: offer({ feePayer: FEE_PAYER, memo: 'order 7' }),
      payload: { transaction: 'AQID' },
    },
  ]);
});

test('a service that refuses the signed transaction gets no second one, by no scheme', async () => {
  const evm = { ...offer({}), network: 'eip155:8453' };
  const both = challenge(offer({ feePayer: FEE_PAYER }), evm);
  const { call, sent } = open([both, both], config, HANDED_OUT);
  await expect(call()).rejects.toThrow(
    new RegExp(`has signed spend ${SPEND.spend_id}, and the service still responds with 402`),
  );
  expect(sent).toHaveLength(2);
  expect(otherScheme.createPaymentPayload).not.toHaveBeenCalled();
});

test('a standard offer that the wallet cannot pay throws before money moves', async () => {
  const extra = { feePayer: FEE_PAYER, features: { smartWalletSupported: false } };
  const { call, sent } = open([challenge(offer(extra))], config);
  await expect(call()).rejects.toThrow(/cannot pay this offer/);
  expect(sent.map(({ method }) => method)).toEqual(['GET']);
});

test('an offer on another network is left to its own scheme', async () => {
  otherScheme.createPaymentPayload.mockResolvedValue({ x402Version: 2, payload: { own: true } });
  const evm = challenge({ ...offer({}), network: 'eip155:8453', asset: EVM_ASSET });
  const { call, sent } = open([evm, sold], config);
  await expect((await call()).json()).resolves.toEqual({ sold: true });
  expect(otherScheme.createPaymentPayload).toHaveBeenCalledOnce();
  expect(sent.map(({ method }) => method)).toEqual(['GET']);
});
