import { PaymentRequiredV2Schema } from '@x402/core/schemas';
import { describe, expect, it } from 'vitest';

import { parseChallenge, type Challenge } from './challenge.ts';
import {
  address,
  MINT,
  PAYEE,
  FEE_PAYER,
  DEVNET,
  MAINNET,
  standard,
  seed,
  extra,
  offer,
  version1Offer,
  unpriced,
  challenge,
  nothing,
  base64,
  headerOf,
  bodyOf,
  inBody,
  inHeader,
  withOffer,
} from '../../test/fixtures/challenges.ts';

describe('a challenge', () => {
  it('is read from the header of version 2', () => {
    expect(PaymentRequiredV2Schema.safeParse(challenge(offer)).success).toBe(true);
    expect(inHeader(challenge(offer))).toEqual({
      kind: 'offer',
      dialect: 'v2-header',
      version: 2,
      resource: '{"url":"https://a.example/"}',
      offer: {
        amount: 10_000n,
        payTo: PAYEE,
        asset: MINT,
        network: DEVNET,
        feePayer: FEE_PAYER,
        memo: null,
        smartWalletSupported: null,
        verbatim: JSON.stringify(offer),
      },
    });
  });

  const broken = base64('{"x402Version":2,"accepts":[');
  it.each<[where: string, headers: Record<string, string>, body: unknown, dialect: string]>([
    ['a body of version 2', {}, challenge(offer), 'v2-body'],
    [
      'X-Payment-Required',
      { 'x-payment-required': headerOf(challenge(offer)) },
      {},
      'x-payment-required',
    ],
    [
      'X-Payment-Required as plain JSON',
      { 'x-payment-required': JSON.stringify(challenge(offer)) },
      {},
      'x-payment-required',
    ],
    [
      'the body when the header is broken',
      { 'payment-required': broken },
      challenge(offer),
      'v2-body',
    ],
    ['the body when the header is empty', { 'payment-required': '' }, challenge(offer), 'v2-body'],
    [
      'the body when the header is too large',
      { 'payment-required': 'A'.repeat(16_385) },
      challenge(offer),
      'v2-body',
    ],
    [
      'the header when the body is something else',
      { 'payment-required': headerOf(challenge(offer)) },
      ['x'],
      'v2-header',
    ],
    [
      'the header when both are there',
      { 'payment-required': headerOf(challenge(offer)) },
      challenge({ ...offer, amount: '9' }),
      'v2-header',
    ],
    [
      'the body when the header is for others',
      { 'payment-required': headerOf(challenge({ ...offer, network: 'eip155:8453' })) },
      challenge(offer),
      'v2-body',
    ],
  ])('is read from %s', (_where, headers, body, dialect) => {
    const found = parseChallenge(headers, bodyOf(body), standard);
    expect(found).toMatchObject({ kind: 'offer', dialect, offer: { amount: 10_000n } });
  });

  it('may have no resource, and prices by the name of version 1', () => {
    const { amount, ...rest } = offer;
    const found = inBody({ x402Version: 2, accepts: [{ ...rest, maxAmountRequired: amount }] });
    expect(found).toMatchObject({ kind: 'offer', resource: null, offer: { amount: 10_000n } });
  });

  it.each([DEVNET, 'solana-devnet', 'solana:devnet'])('may call the network %s', (network) => {
    expect(withOffer({ network })).toMatchObject({ kind: 'offer', offer: { network: DEVNET } });
  });

  it.each([MAINNET, 'solana', 'solana:mainnet', 'solana-mainnet'])(
    'of %s is for mainnet',
    (network) => {
      const wanted = { ...standard, network: MAINNET };
      expect(withOffer({ network }, wanted)).toMatchObject({ kind: 'offer' });
      expect(withOffer({ network })).toMatchObject({ kind: 'mismatch', what: 'network' });
    },
  );

  it('keeps the memo and what it says of programs', () => {
    const features = { smartWalletSupported: true };
    const found = withOffer({ extra: { ...extra, memo: 'order 7', features } });
    expect(found).toMatchObject({ offer: { memo: 'order 7', smartWalletSupported: true } });
  });

  it('keeps the offer as it was written, to the digit', () => {
    const text = `{"z":1.0,"10":1e2,"scheme":"exact","network":"${DEVNET}","amount":"5","asset":"${MINT}","payTo":"${PAYEE}","extra":{"feePayer":"${FEE_PAYER}","n":123456789012345678901234567890,"s":"é\\u2028\\/"}}`;
    const found = parseChallenge(
      {},
      Buffer.from(`{"x402Version":2,"accepts":[ ${text} ]}`),
      standard,
    );
    const kept = found.kind === 'offer' ? found.offer.verbatim : '';
    expect(kept).toContain('"z":1.0,');
    expect(kept).toContain('"10":1e2,');
    expect(kept).toContain('"n":123456789012345678901234567890,');
    expect(JSON.parse(kept)).toEqual(JSON.parse(text));
  });
});

describe('of several offers', () => {
  const others = [
    { ...offer, scheme: 'upto' },
    { ...offer, network: 'eip155:8453', asset: '0x036CbD53842c5426634e7929541eC2318f3dCF7e' },
    { ...offer, asset: address() },
    { ...offer, payTo: address() },
    { ...offer, amount: '-1' },
    null,
    'exact',
    [],
  ];

  it('the matching one is chosen, whatever its position', () => {
    for (let place = 0; place <= others.length; place += 1) {
      expect(inBody(challenge(...others.toSpliced(place, 0, offer)))).toMatchObject({
        kind: 'offer',
        offer: { amount: 10_000n, payTo: PAYEE },
      });
    }
  });

  it('the first within the limit is chosen, else the cheapest is reported', () => {
    const prices = ['3000000', '1000000', '2000000', '5'].map((amount) => ({ ...offer, amount }));
    expect(inBody(challenge(...prices))).toMatchObject({ offer: { amount: 1_000_000n } });
    expect(inBody(challenge(...prices.slice(2)))).toMatchObject({ offer: { amount: 5n } });
    const wanted = { ...standard, maxAmount: 4n };
    expect(inBody(challenge(...prices), wanted)).toMatchObject({ offer: { amount: 5n } });
  });

  it('a list of more than 64 is refused as a whole', () => {
    expect(inBody(challenge(...Array.from({ length: 63 }, () => 0), offer)).kind).toBe('offer');
    expect(inBody(challenge(...Array.from({ length: 64 }, () => 0), offer))).toMatchObject({
      kind: 'unparsable',
      why: 'the challenge has more than 64 offers',
    });
    const thousand = Array.from({ length: 1_000 }, () => ({ a: 1 }));
    expect(inBody(challenge(...thousand)).kind).toBe('unparsable');
  });

  it('the failure of the best match is reported', () => {
    expect(inBody(challenge(...others.slice(0, 4)))).toMatchObject({
      kind: 'mismatch',
      what: 'payee',
    });
    expect(inBody(challenge(...others))).toMatchObject({ kind: 'unparsable' });
  });
});

describe('a challenge that differs from the catalog entry', () => {
  const tokenAccount = address();
  it.each<[what: string, change: object, found: string]>([
    ['scheme', { scheme: 'upto' }, 'upto'],
    ['scheme', { scheme: ['exact'] }, 'object'],
    ['scheme', { scheme: undefined }, 'undefined'],
    ['network', { network: 'eip155:84532' }, 'eip155:84532'],
    [
      'network',
      { network: 'solana:4uhcVJyU9pJkvQyS88uRDiswHXSCkY3z' },
      'solana:4uhcVJyU9pJkvQyS88uRDiswHXSCkY3z',
    ],
    ['network', { network: 'constructor' }, 'constructor'],
    ['network', { network: 7 }, 'object'],
    [
      'asset',
      { asset: 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v' },
      'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v',
    ],
    ['asset', { asset: MINT.toLowerCase() }, MINT.toLowerCase()],
    ['payee', { payTo: FEE_PAYER }, FEE_PAYER],
    ['payee', { payTo: tokenAccount }, tokenAccount],
    ['payee', { payTo: `${PAYEE} ` }, `${PAYEE}?`],
    ['payee', { payTo: `${PAYEE}\u0000` }, `${PAYEE}?`],
    ['payee', { payTo: [PAYEE] }, 'object'],
    ['payee', { payTo: null }, 'object'],
    ['payee', { payTo: 'x'.repeat(10_000) }, 'x'.repeat(64)],
    ['dialect', { extra: {} }, 'x-payment-proof'],
    ['dialect', { extra: null }, 'x-payment-proof'],
    ['dialect', { extra: { feePayer: null } }, 'x-payment-proof'],
    ['dialect', { extra: { ...extra, proof: 'x-payment-proof' } }, 'x-payment-proof'],
  ])('differs in its %s with %j', (what, change, found) => {
    expect(withOffer(change)).toEqual({ kind: 'mismatch', what, found });
  });

  it('is a standard one where the entry expects a proof of payment', () => {
    expect(withOffer({}, seed)).toEqual({ kind: 'mismatch', what: 'dialect', found: 'x402' });
  });
});

describe('a challenge for X-Payment-Proof', () => {
  it.each<[shape: string, body: unknown]>([
    ['names no fee payer', challenge({ ...offer, extra: {} })],
    ['has no extra', challenge({ ...unpriced, amount: '10000' })],
    ['names the header', challenge({ ...offer, extra: { proof: 'x-payment-proof' } })],
    ['names both', challenge({ ...offer, extra: { ...extra, proof: 'x-payment-proof' } })],
    ['is of version 1', { x402Version: 1, error: 'pay', accepts: [version1Offer] }],
  ])('%s', (_shape, body) => {
    expect(inBody(body, seed)).toMatchObject({
      kind: 'offer',
      offer: { amount: 10_000n, payTo: PAYEE, feePayer: null },
    });
  });
});

describe('a payment that this wallet cannot make', () => {
  it.each<[why: RegExp, found: Challenge]>([
    [/version 1 only/, inBody({ x402Version: 1, accepts: [{ ...version1Offer, extra }] })],
    [/by programs/, withOffer({ extra: { ...extra, features: { smartWalletSupported: false } } })],
    [
      /Payment authentication/,
      parseChallenge(
        { 'www-authenticate': 'Payment id="a", realm="b", method="solana", intent="charge"' },
        nothing,
        standard,
      ),
    ],
    [
      /Payment authentication/,
      parseChallenge({ 'www-authenticate': 'Bearer realm="a", payment id="b"' }, bodyOf({}), seed),
    ],
  ])('is unsupported: %s', (why, found) => {
    expect(found).toEqual({ kind: 'unsupported', why: expect.stringMatching(why) });
  });

  it('does not hide an offer that can be paid', () => {
    const version1 = parseChallenge(
      { 'payment-required': headerOf(challenge(offer)), 'www-authenticate': 'Payment id="a"' },
      bodyOf({ x402Version: 1, accepts: [{ ...version1Offer, extra }] }),
      standard,
    );
    expect(version1).toMatchObject({ kind: 'offer', version: 2 });
  });
});
