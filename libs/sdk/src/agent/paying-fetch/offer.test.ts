import { describe, expect, it, test } from 'vitest';
import { judgeChallenge, moneyOf } from './offer.ts';

const MINT = 'Mint1111111111111111111111111111111111111111';
const NETWORK = 'solana:EtWTRABZaYq6iMfeYKouRu166VU2xqa1';
const money = moneyOf({ cluster: 'devnet', usdc_mint: MINT });
const offer = {
  scheme: 'exact',
  network: NETWORK,
  asset: MINT,
  payTo: 'payee',
  amount: '30000',
  extra: { proof: 'x-payment-proof' },
};
const challenge = (...accepts: readonly object[]) => JSON.stringify({ x402Version: 2, accepts });
const judge = (body: string, headers: Record<string, string> = {}) =>
  judgeChallenge(new Headers(headers), body, money);

const PAYABLE = { kind: 'offer', offer: { kind: 'proof', recipient: 'payee', amount: 30_000n } };
const standard = { ...offer, extra: { feePayer: 'f' } };

describe('a challenge that takes X-Payment-Proof', () => {
  it.each([
    ['in the body', challenge(offer), {}],
    ['in a header', '{}', { 'payment-required': btoa(challenge(offer)) }],
    ['with a short network name', challenge({ ...offer, network: 'solana-devnet' }), {}],
    ['without a fee payer', challenge({ ...offer, extra: null }), {}],
    ['beside offers of other kinds', challenge({ x: 1 }, { ...offer, asset: 'other' }, offer), {}],
    [
      'in version 1',
      JSON.stringify({
        x402Version: 1,
        accepts: [{ ...offer, amount: undefined, maxAmountRequired: '30000' }],
      }),
      {},
    ],
  ])('is payable %s', (_where, body, headers) => {
    expect(judge(body, headers)).toEqual(PAYABLE);
  });

  it('is paid at its lowest price', () => {
    expect(judge(challenge({ ...offer, amount: '30001' }, offer))).toEqual(PAYABLE);
  });
});

describe('a standard x402 challenge', () => {
  const { amount: _amount, ...unpriced } = standard;

  it.each([
    ['in the body', challenge(standard), {}],
    ['in a header', '{}', { 'payment-required': btoa(challenge(standard)) }],
    ['beside a dearer one', challenge({ ...standard, amount: '30001' }, standard), {}],
    [
      'beside one of version 1 that it cannot be',
      challenge({ ...standard, asset: 'o' }, standard),
      {},
    ],
  ])('is payable %s', (_where, body, headers) => {
    expect(judge(body, headers)).toMatchObject({
      kind: 'offer',
      offer: { kind: 'standard', recipient: 'payee', amount: 30_000n, feePayer: 'f', memo: null },
    });
  });

  it('keeps the offer and the resource as they were sent', () => {
    const sent = {
      z: 1,
      ...standard,
      extra: { memo: 'order', more: [{}], feePayer: 'f' },
      a: null,
    };
    const body = JSON.stringify({ x402Version: 2, resource: { url: 'u', b: 1 }, accepts: [sent] });
    const judged = judge(body);
    expect(judged).toMatchObject({
      offer: { memo: 'order', accepted: sent, resource: { url: 'u', b: 1 } },
    });
    expect(
      JSON.stringify(
        judged.kind === 'offer' && 'accepted' in judged.offer && judged.offer.accepted,
      ),
    ).toBe(JSON.stringify(sent));
  });

  it('is left where another offer takes a proof, also at a higher price', () => {
    expect(judge(challenge({ ...standard, amount: '1' }, offer))).toEqual(PAYABLE);
  });

  it.each([
    ['of version 1', JSON.stringify({ x402Version: 1, accepts: [standard] }), /version 1/],
    [
      'without payments by programs',
      challenge({
        ...standard,
        extra: { feePayer: 'f', features: { smartWalletSupported: false } },
      }),
      /by programs/,
    ],
    [
      'of a fee payer that is no text',
      challenge({ ...standard, extra: { feePayer: 7 } }),
      /address/,
    ],
    [
      'with a long memo',
      challenge({ ...standard, extra: { feePayer: 'f', memo: 'é'.repeat(129) } }),
      /memo/,
    ],
    ['without a price', challenge(unpriced), /price/],
  ])('%s cannot be paid', (_what, body, why) => {
    expect(judge(body)).toEqual({ kind: 'none', why: expect.stringMatching(why) });
  });
});

test.each([
  ['an empty body', '', /no payment terms/],
  ['another body', '{"error":"pay"}', /no payment terms/],
  ['another network', challenge({ ...offer, network: 'eip155:8453' }), /does not take USDC/],
  ['mainnet', challenge({ ...offer, network: 'solana' }), /does not take USDC/],
  ['another token', challenge({ ...offer, asset: 'other' }), /does not take USDC/],
  ['another scheme', challenge({ ...offer, scheme: 'upto' }), /does not take USDC/],
  ['no price', challenge({ ...offer, amount: undefined }), /price/],
  ['a price of 0', challenge({ ...offer, amount: '0' }), /price/],
  ['a price with a fraction', challenge({ ...offer, amount: '0.5' }), /price/],
  ['two prices', challenge({ ...offer, maxAmountRequired: '1' }), /price/],
])('a 402 with %s cannot be paid', (_what, body, why) => {
  expect(judge(body)).toEqual({ kind: 'none', why: expect.stringMatching(why) });
});
