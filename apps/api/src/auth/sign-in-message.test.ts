import { randomBytes } from 'node:crypto';
import { ed25519 } from '@noble/curves/ed25519.js';
import { expect, it } from 'vitest';
import { signedForms } from './sign-in-message.ts';
import { isOnCurve, isSignedBy } from './verify-signature.ts';

const secret = randomBytes(32);
const pubkey = ed25519.getPublicKey(secret);
const text = 'wallet.example wants you to sign in\nNonce: 00';

it.each(signedForms(text, pubkey).map((form, i) => [i, form] as const))(
  'takes the signature over signed form %i',
  (_, form) => {
    expect(isSignedBy(pubkey, text, ed25519.sign(form, secret))).toBe(true);
  },
);

it('puts text, key and length where a Ledger off-chain message has them', () => {
  const [, version0 = Buffer.alloc(0)] = signedForms(text, pubkey);
  expect(version0.subarray(0, 17).toString('latin1')).toBe('\u00ffsolana offchain\0');
  expect(version0.subarray(17, 49).equals(Buffer.alloc(32))).toBe(true);
  expect([...version0.subarray(49, 51)]).toEqual([0, 1]);
  expect(version0.subarray(51, 83).equals(Buffer.from(pubkey))).toBe(true);
  expect(version0.readUInt16LE(83)).toBe(text.length);
  expect(version0.subarray(85).toString()).toBe(text);
});

it('refuses a signature over another text, and by another key', () => {
  const signature = ed25519.sign(Buffer.from(`${text} `), secret);
  expect(isSignedBy(pubkey, text, signature)).toBe(false);
  const other = ed25519.getPublicKey(randomBytes(32));
  expect(isSignedBy(other, text, ed25519.sign(Buffer.from(text), secret))).toBe(false);
});

it('refuses every constant signature for the key of small order', () => {
  const small = new Uint8Array(32);
  const signature = new Uint8Array(64);
  for (let i = 0; i < 64; i += 1) expect(isSignedBy(small, `text ${i}`, signature)).toBe(false);
});

it('knows points of the curve from other 32 bytes', () => {
  expect(isOnCurve(pubkey)).toBe(true);
  expect(isOnCurve(new Uint8Array(32).fill(2))).toBe(false);
});
