import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { parseChallenge } from './challenge.ts';
import {
  MINT,
  PAYEE,
  DEVNET,
  standard,
  extra,
  offer,
  challenge,
  nothing,
  base64,
  headerOf,
  bodyOf,
  withOffer,
} from '../../test/fixtures/challenges.ts';

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
