import { ed25519 } from '@noble/curves/ed25519.js';
import { Keypair } from '@solana/web3.js';
import bs58 from 'bs58';
import { callApi } from '../../../support/http/http-owner.ts';
import { requestNonce, sign, textFor } from '../../../support/http/sign-in.ts';
import type { Part } from '../../parts.ts';
import { type KeysWorld, openedBy } from './world.ts';

const FIELD = 2n ** 255n - 19n;
const ORDER = 2n ** 252n + 27742317777372353535851937790883648493n;
const SIGN_BIT = 0x80;
const FLIPPED_BITS = 24;

/** Keys of small order, which accept forged signatures, and other encodings of a valid signature. */
export const signatures: Part<KeysWorld> = {
  shows: ['lenient-signatures'],
  attack: async (cases, { api }) => {
    const small = smallOrderKeys();
    const constants = [small[0], small[1], small[2]].map((point) =>
      Buffer.concat([point ?? Buffer.alloc(32), Buffer.alloc(32)]),
    );
    for (const key of small) {
      for (const [n, signature] of constants.entries()) {
        await cases.try(`constant ${n} for the key ${key.toString('hex')}`, () =>
          trySignature(api, bs58.encode(key), signature.toString('base64')),
        );
      }
    }
    for (const [name, change] of forms()) {
      await cases.try(`a signature ${name}`, async () => {
        const [keypair, challenge] = [Keypair.generate(), await requestNonce(api)];
        const right = sign(textFor(keypair, challenge), keypair);
        const body = {
          pubkey: keypair.publicKey.toBase58(),
          nonce: challenge.nonce,
          signature: change(Buffer.from(right, 'base64'), textFor(keypair, challenge)),
        };
        return openedBy(await callApi(api, 'POST', '/v1/auth/siws', { body }));
      });
    }
    for (const [name, spell] of SPELLINGS) {
      await cases.try(`an address ${name}`, async () => {
        const [keypair, challenge] = [Keypair.generate(), await requestNonce(api)];
        const signature = sign(textFor(keypair, challenge), keypair);
        const pubkey = spell(keypair.publicKey.toBytes());
        const body = { pubkey, nonce: challenge.nonce, signature };
        return openedBy(await callApi(api, 'POST', '/v1/auth/siws', { body }));
      });
    }
  },
};

async function trySignature(
  api: KeysWorld['api'],
  pubkey: string,
  signature: string,
): Promise<string | null> {
  const { nonce } = await requestNonce(api);
  return openedBy(
    await callApi(api, 'POST', '/v1/auth/siws', { body: { pubkey, nonce, signature } }),
  );
}

function littleEndian(value: bigint): Buffer {
  const bytes = Buffer.from(value.toString(16).padStart(64, '0'), 'hex');
  return Buffer.from(bytes.toReversed());
}

const toNumber = (bytes: Uint8Array): bigint =>
  BigInt(`0x${Buffer.from(bytes.toReversed()).toString('hex')}`);

/** The points of order 1, 2, 4 and 8 in all encodings, including non-canonical ones. */
function smallOrderKeys(): readonly Buffer[] {
  const ofOrder8 = 'c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a';
  const generator = ed25519.Point.fromHex(ofOrder8);
  const points = Array.from({ length: 8 }, (_, n) =>
    Buffer.from((n === 0 ? ed25519.Point.ZERO : generator.multiplyUnsafe(BigInt(n))).toBytes()),
  );
  const twins = points.flatMap((bytes) => {
    const withoutSign = Buffer.from(bytes);
    withoutSign[31] = (bytes[31] ?? 0) & ~SIGN_BIT;
    const y = toNumber(withoutSign);
    const high = y + FIELD < 2n ** 255n ? [littleEndian(y + FIELD)] : [];
    return [withoutSign, ...high].flatMap((one) => {
      const signed = Buffer.from(one);
      signed[31] = (one[31] ?? 0) | SIGN_BIT;
      return [one, signed];
    });
  });
  const all = [...points, ...twins].map((bytes) => bytes.toString('hex'));
  return [...new Set(all)].map((hex) => Buffer.from(hex, 'hex'));
}

type Change = (signature: Buffer, text: string) => unknown;

const withS =
  (change: (s: bigint) => bigint): Change =>
  (signature) => {
    const s = change(toNumber(signature.subarray(32)));
    return Buffer.concat([signature.subarray(0, 32), littleEndian(s % 2n ** 256n)]).toString(
      'base64',
    );
  };

/** Other forms of R and S. */
function forms(): readonly (readonly [string, Change])[] {
  const flips = Array.from({ length: FLIPPED_BITS }, (_, n): readonly [string, Change] => {
    const bit = Math.floor((n * 512) / FLIPPED_BITS);
    return [
      `with bit ${bit} changed`,
      (signature) => {
        signature[bit >> 3] = (signature[bit >> 3] ?? 0) ^ (1 << (bit & 7));
        return signature.toString('base64');
      },
    ];
  });
  return [
    ...flips,
    ...[1n, 2n, 7n, 15n].map((times): readonly [string, Change] => [
      `whose S is ${times} orders larger`,
      withS((s) => s + times * ORDER),
    ]),
    ['whose S is negated', withS((s) => ORDER - s)],
    [
      'with R and S exchanged',
      (signature) =>
        Buffer.concat([signature.subarray(32), signature.subarray(0, 32)]).toString('base64'),
    ],
    ['of another key', (_signature, text) => sign(text, Keypair.generate())],
    ['of zeros', () => Buffer.alloc(64).toString('base64')],
    ['of ones', () => Buffer.alloc(64, 0xff).toString('base64')],
    ['of 63 bytes', (signature) => signature.subarray(1).toString('base64')],
    ['of 65 bytes', (signature) => Buffer.concat([signature, Buffer.alloc(1)]).toString('base64')],
    ['twice', (signature) => Buffer.concat([signature, signature]).toString('base64')],
    ['in base58', (signature) => bs58.encode(signature)],
    ['in hex', (signature) => signature.toString('hex')],
    ['as numbers', (signature) => [...signature]],
    ['without padding', (signature) => signature.toString('base64').replace(/=+$/, '')],
    ['with a line feed', (signature) => `${signature.toString('base64')}\n`],
    [
      'with bits behind its end',
      (signature) =>
        signature.toString('base64').replace(/.==$/, (end) => `${nextDigit(end[0] ?? 'A')}==`),
    ],
  ];
}

const DIGITS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
/** The same first bits, others behind them. */
const nextDigit = (digit: string): string => DIGITS[DIGITS.indexOf(digit) + 1] ?? 'B';

const SPELLINGS: readonly (readonly [string, (pubkey: Uint8Array) => unknown])[] = [
  ['with a 1 before it', (pubkey) => `1${bs58.encode(pubkey)}`],
  ['with a space', (pubkey) => ` ${bs58.encode(pubkey)}`],
  ['with a line feed', (pubkey) => `${bs58.encode(pubkey)}\n`],
  ['in hex', (pubkey) => Buffer.from(pubkey).toString('hex')],
  ['in base64', (pubkey) => Buffer.from(pubkey).toString('base64')],
  ['in small letters', (pubkey) => bs58.encode(pubkey).toLowerCase()],
  ['of 33 bytes', (pubkey) => bs58.encode(Buffer.concat([pubkey, Buffer.alloc(1)]))],
  ['as numbers', (pubkey) => [...pubkey]],
  ['in a list', (pubkey) => [bs58.encode(pubkey)]],
  ['of a thousand digits', (pubkey) => bs58.encode(pubkey).repeat(25)],
];
