import { Keypair } from '@solana/web3.js';
import { PaymentPayloadV2Schema, PaymentRequiredV2Schema } from '@x402/core/schemas';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { parseChallenge, type Challenge } from './challenge.ts';
import type { Wanted } from './offer.ts';
import { paymentSignatureHeader, signatureInPaymentResponse } from './payment-header.ts';
import { networkIdOf } from './payment-networks.ts';

const address = (): string => Keypair.generate().publicKey.toBase58();
const MINT = '4zMMC9srt5Ri5X14GAgXhaHii3GnPAEERYPJgZJDncDU';
const PAYEE = address();
const FEE_PAYER = address();
const DEVNET = networkIdOf('devnet');
const MAINNET = networkIdOf('mainnet');

const standard: Wanted = {
  proof: 'x402',
  network: DEVNET,
  asset: MINT,
  payTo: PAYEE,
  maxAmount: 1_000_000n,
};
const seed: Wanted = { ...standard, proof: 'x-payment-proof' };

const extra = { feePayer: FEE_PAYER };
const unpriced = {
  scheme: 'exact',
  network: DEVNET,
  asset: MINT,
  payTo: PAYEE,
  maxTimeoutSeconds: 60,
};
const offer = { ...unpriced, amount: '10000', extra };
const version1Offer = {
  ...unpriced,
  network: 'solana-devnet',
  maxAmountRequired: '10000',
  resource: 'https://a.example/',
};
const resource = { url: 'https://a.example/' };
const challenge = (...accepts: readonly unknown[]) => ({ x402Version: 2, resource, accepts });

const nothing = Buffer.alloc(0);
const base64 = (value: string | Buffer): string => Buffer.from(value).toString('base64');
const headerOf = (value: unknown): string => base64(JSON.stringify(value));
const bodyOf = (value: unknown): Buffer => Buffer.from(JSON.stringify(value));

const inBody = (value: unknown, wanted = standard): Challenge =>
  parseChallenge({}, bodyOf(value), wanted);
const inHeader = (value: unknown, wanted = standard): Challenge =>
  parseChallenge({ 'payment-required': headerOf(value) }, nothing, wanted);

/** How a challenge reads when its one offer has other values. */
const withOffer = (change: object, wanted = standard): Challenge =>
  inBody(challenge({ ...offer, ...change }), wanted);

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

describe('an amount', () => {
  it.each(['1', '10000', '9007199254740993', '18446744073709551615'])('may be %s', (amount) => {
    expect(withOffer({ amount })).toMatchObject({
      kind: 'offer',
      offer: { amount: BigInt(amount) },
    });
  });

  it.each([
    '0',
    '00',
    '010000',
    '-1',
    '-0',
    '+1',
    '1.0',
    '0.01',
    '1,000',
    '1_000',
    '1e3',
    '1E3',
    '0x10',
    '0b1',
    ' 1',
    '1 ',
    '1\n',
    '1\u0000',
    '',
    '$0.01',
    'Infinity',
    'NaN',
    'null',
    '１０',
    '٣',
    '18446744073709551616',
    '184467440737095516150',
    '340282366920938463463374607431768211456',
    '9'.repeat(5_000),
    10_000,
    0,
    -1,
    1.5,
    1e30,
    true,
    null,
    undefined,
    [],
    ['1'],
    {},
  ])('is not %j', (amount) => {
    expect(withOffer({ amount })).toEqual({
      kind: 'unparsable',
      why: 'the amount is not a whole positive u64',
    });
  });

  it('is not two different ones', () => {
    expect(withOffer({ maxAmountRequired: '10000' }).kind).toBe('offer');
    expect(withOffer({ maxAmountRequired: '10001' }).kind).toBe('unparsable');
  });
});

describe('what is not a challenge', () => {
  const json = JSON.stringify(challenge(offer));
  const deep = `{"x402Version":2,"accepts":${'['.repeat(20_000)}${']'.repeat(20_000)}}`;
  it.each<[what: string, body: string | Buffer]>([
    ['nothing', ''],
    ['an empty object', '{}'],
    ['a list', '[]'],
    ['a number', '402'],
    ['null', 'null'],
    ['a page', '<!doctype html><title>402</title>'],
    ['half of one', json.slice(0, -2)],
    ['one and something more', `${json}x`],
    ['one in UTF-16', Buffer.from(json, 'utf16le')],
    [
      'one with invalid UTF-8',
      Buffer.concat([Buffer.from(json.slice(0, -1)), Buffer.from(',"a":"\xff"}', 'latin1')]),
    ],
    ['one with a raw NUL', json.replace('exact', 'exact\u0000')],
    ['one with a trailing comma', json.replace(/}$/, ',}')],
    ['one that nests 20 000 deep', deep],
    ['one of 1 MiB', Buffer.alloc(1_048_576, json)],
    ['one with 64 KiB of spaces', json + ' '.repeat(65_536)],
    ['of version 3', JSON.stringify({ ...challenge(offer), x402Version: 3 })],
    ['of version "2"', JSON.stringify({ ...challenge(offer), x402Version: '2' })],
    ['of no version', JSON.stringify({ accepts: [offer] })],
    ['without offers', JSON.stringify(challenge())],
    ['with offers that are no list', JSON.stringify({ x402Version: 2, accepts: { 0: offer } })],
    ['with offers that are no objects', JSON.stringify(challenge(1, 'a', null, [offer]))],
    [
      'with a fee payer that is no address',
      JSON.stringify(challenge({ ...offer, extra: { feePayer: 'abc' } })),
    ],
    [
      'with a fee payer that is a number',
      JSON.stringify(challenge({ ...offer, extra: { feePayer: 1 } })),
    ],
    [
      'with a memo of 257 bytes',
      JSON.stringify(challenge({ ...offer, extra: { ...extra, memo: 'é'.repeat(129) } })),
    ],
    [
      'with a memo that is no text',
      JSON.stringify(challenge({ ...offer, extra: { ...extra, memo: { a: 1 } } })),
    ],
    [
      'with a NUL in its memo',
      JSON.stringify(challenge({ ...offer, extra: { ...extra, memo: 'a\u0000b' } })),
    ],
    ['with half a surrogate pair', json.replace('"extra":{', '"extra":{"a":"\\ud800",')],
    [
      'with a NUL in its resource',
      JSON.stringify({ ...challenge(offer), resource: { url: 'a\u0000' } }),
    ],
  ])('is %s', (_what, body) => {
    expect(parseChallenge({}, Buffer.from(body), standard)).toMatchObject({ kind: 'unparsable' });
  });

  it.each<[what: string, header: string]>([
    ['not base64', 'not base64!'],
    ['base64 of nothing', base64('')],
    ['base64 of binary', base64(Buffer.from([0, 255, 254]))],
    ['two headers joined', `${headerOf(challenge(offer))}, ${headerOf(challenge(offer))}`],
    ['base64 twice', base64(headerOf(challenge(offer)))],
    ['over 16 KiB', headerOf({ ...challenge(offer), pad: 'a'.repeat(16_384) })],
  ])('is a header that is %s', (_what, header) => {
    const found = parseChallenge({ 'payment-required': header }, nothing, standard);
    expect(found).toMatchObject({ kind: 'unparsable' });
  });

  it('never throws, and finds an offer only for the entry, whatever is sent', () => {
    const values = fc.oneof(
      fc.json().map((text) => Buffer.from(text)),
      fc.uint8Array().map((bytes) => Buffer.from(bytes)),
      fc
        .record({ x402Version: fc.constantFrom(1, 2, 3), accepts: fc.array(fc.jsonValue()) })
        .map(bodyOf),
      fc
        .dictionary(fc.constantFrom(...Object.keys(offer), 'maxAmountRequired'), fc.jsonValue())
        .map((change) => bodyOf(challenge({ ...offer, ...change }))),
    );
    fc.assert(
      fc.property(values, fc.string(), fc.boolean(), (body, header, encoded) => {
        const value = encoded ? base64(body) : header;
        const found = parseChallenge({ 'payment-required': value }, body, standard);
        if (found.kind !== 'offer') return;
        expect(found.offer).toMatchObject({ payTo: PAYEE, asset: MINT, network: DEVNET });
        expect(found.offer.amount).toBeGreaterThan(0n);
      }),
      { numRuns: 500 },
    );
  });
});

describe('the headers of a paid request', () => {
  it('hold the offer as it was received, in the form of the reference', () => {
    const verbatim = JSON.stringify(offer).replace(
      '"maxTimeoutSeconds":60',
      '"maxTimeoutSeconds":60.0',
    );
    const header = paymentSignatureHeader(
      verbatim,
      JSON.stringify(resource),
      Buffer.from([1, 2, 3]),
    );
    const text = Buffer.from(header, 'base64').toString();
    expect(text).toContain(`"accepted":${verbatim}`);
    expect(PaymentPayloadV2Schema.parse(JSON.parse(text))).toEqual({
      x402Version: 2,
      resource,
      accepted: offer,
      payload: { transaction: 'AQID' },
    });
    const bare = JSON.parse(
      Buffer.from(paymentSignatureHeader(verbatim, null, nothing), 'base64').toString(),
    ) as unknown;
    expect(bare).not.toHaveProperty('resource');
  });

  const signature = '5'.repeat(88);
  it.each<[value: string, found: string | null]>([
    [headerOf({ success: true, transaction: signature }), signature],
    [headerOf({ success: false, transaction: signature }), signature],
    [headerOf({ success: false, transaction: '' }), null],
    [headerOf({ success: true }), null],
    [headerOf({ transaction: [signature] }), null],
    [headerOf({ transaction: `${signature.slice(0, 87)}0` }), null],
    [headerOf({ transaction: '5'.repeat(89) }), null],
    [headerOf([]), null],
    ['garbage', null],
    ['A'.repeat(16_385), null],
  ])('tell the signature, or none: %s', (value, found) => {
    expect(signatureInPaymentResponse({ 'payment-response': value })).toBe(found);
    expect(signatureInPaymentResponse({})).toBeNull();
  });
});
