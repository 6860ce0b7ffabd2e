import { randomBytes } from 'node:crypto';
import { isAppError } from '@agent-wallet/errors';
import { describe, expect, test } from 'vitest';
import { parseMasterKey } from './master-key.ts';
import { open, seal } from './seal.ts';

const masterKey = randomBytes(32);
const plain = randomBytes(64);
const context = { pubkey: 'pubkey-of-the-row', keyVersion: 1 };
const sealed = seal(masterKey, plain, context);

/** The error thrown by `run`. */
function faultOf(run: () => unknown): unknown {
  try {
    run();
  } catch (error) {
    return error;
  }
  throw new Error('it was expected to fail');
}

/** All text of a fault that a log line could contain. */
function everythingSaid(error: unknown): string {
  if (!isAppError(error)) return String(error);
  return [error.message, error.stack, JSON.stringify(error.context), String(error.cause)].join();
}

test('sealed bytes open to the same bytes', () => {
  expect(open(masterKey, sealed, context)).toEqual(plain);
});

test('sealing twice gives different bytes, without the plain ones', () => {
  const again = seal(masterKey, plain, context);
  expect(again).not.toEqual(sealed);
  expect(again.includes(plain.subarray(0, 8))).toBe(false);
});

describe('sealed bytes do not open', () => {
  const flipped = (at: number): Buffer => {
    const bytes = Buffer.from(sealed);
    bytes[at] = (bytes[at] ?? 0) ^ 1;
    return bytes;
  };
  test.each<[string, Buffer, Buffer, typeof context]>([
    ['with another master key', randomBytes(32), sealed, context],
    ['in the row of another key', masterKey, sealed, { ...context, pubkey: 'another' }],
    ['as another version', masterKey, sealed, { ...context, keyVersion: 2 }],
    ['with a changed nonce', masterKey, flipped(0), context],
    ['with a changed body', masterKey, flipped(20), context],
    ['with a changed tag', masterKey, flipped(sealed.length - 1), context],
    ['with a byte too many', masterKey, Buffer.concat([sealed, Buffer.alloc(1)]), context],
    ...[0, 1, 11, 12, 15, 16, 27, 28, 60, sealed.length - 1].map(
      (length): [string, Buffer, Buffer, typeof context] => [
        `cut to ${length} bytes`,
        masterKey,
        sealed.subarray(0, length),
        context,
      ],
    ),
  ])('%s', (_case, key, bytes, where) => {
    const fault = faultOf(() => open(key, bytes, where));
    expect(isAppError(fault, 'KEYSTORE_UNAVAILABLE')).toBe(true);
    const said = everythingSaid(fault);
    for (const secret of [key, masterKey, plain]) {
      expect(said).not.toContain(secret.toString('hex'));
      expect(said).not.toContain(secret.toString('base64'));
    }
  });
});

describe('the master key', () => {
  test('is base64 of 32 bytes', () => {
    expect(parseMasterKey(masterKey.toString('base64'))).toEqual(masterKey);
  });

  test.each([
    ['31 bytes', randomBytes(31).toString('base64')],
    ['33 bytes', randomBytes(33).toString('base64')],
    ['32 bytes in hex', randomBytes(32).toString('hex')],
    ['a single space', ' '],
    ['32 bytes with a sign that is not base64', `!${masterKey.toString('base64')}`],
    ['32 bytes and something behind them', `${masterKey.toString('base64')}AAAA`],
  ])('is not %s', (_case, text) => {
    const fault = faultOf(() => parseMasterKey(text));
    expect(isAppError(fault, 'SERVER_MISCONFIGURED')).toBe(true);
    const said = everythingSaid(fault);
    expect(said).toContain('KEYSTORE_KEY');
    expect(said).not.toContain(text.padEnd(8, '.'));
  });
});
