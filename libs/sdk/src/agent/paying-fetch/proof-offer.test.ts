import { describe, expect, it, test } from 'vitest';
import { judgeChallenge, moneyOf } from './proof-offer.ts';

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

const PAYABLE = { kind: 'offer', offer: { recipient: 'payee', amount: 30_000n } };

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

test.each([
  ['an empty body', '', /no payment terms/],
  ['another body', '{"error":"pay"}', /no payment terms/],
  ['another network', challenge({ ...offer, network: 'eip155:8453' }), /does not take USDC/],
  ['mainnet', challenge({ ...offer, network: 'solana' }), /does not take USDC/],
  ['another token', challenge({ ...offer, asset: 'other' }), /does not take USDC/],
  ['another scheme', challenge({ ...offer, scheme: 'upto' }), /does not take USDC/],
  ['a facilitator', challenge({ ...offer, extra: { feePayer: 'f' } }), /standard x402/],
  ['no price', challenge({ ...offer, amount: undefined }), /price/],
  ['a price of 0', challenge({ ...offer, amount: '0' }), /price/],
  ['a price with a fraction', challenge({ ...offer, amount: '0.5' }), /price/],
  ['two prices', challenge({ ...offer, maxAmountRequired: '1' }), /price/],
])('a 402 with %s cannot be paid', (_what, body, why) => {
  expect(judge(body)).toEqual({ kind: 'none', why: expect.stringMatching(why) });
});
