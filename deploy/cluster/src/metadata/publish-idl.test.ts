import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { METADATA } from '../../fixtures/metadata-bytes.ts';
import { packIdl, unpackIdl } from './publish-idl.ts';

const IDL = readFileSync(
  new URL('../../../../program/idl/agent_wallet.json', import.meta.url),
  'utf8',
);

/** An account of the package with other bytes in it. */
function accountWith(packed: Uint8Array): Uint8Array {
  const head = Buffer.from(METADATA.account, 'hex').subarray(0, 96);
  head.writeUInt32LE(packed.length, 87);
  return Buffer.concat([head, packed]);
}

test('the length that the package writes is where it is read', () => {
  expect(Buffer.from(METADATA.account, 'hex').readUInt32LE(87)).toBe(3);
});

test('our IDL fits one account and is read back', () => {
  expect(unpackIdl(accountWith(packIdl(IDL)))).toBe(IDL);
});

test('an account with anything else holds no IDL', () => {
  for (const data of [
    Buffer.from(METADATA.account, 'hex'),
    new Uint8Array(),
    accountWith(packIdl(IDL).subarray(0, 100)),
  ]) {
    expect(unpackIdl(data)).toBeNull();
  }
});

test('an IDL that is too long for one account is refused with its length', () => {
  expect(() => packIdl(randomBytes(20_000).toString('base64'))).toThrow(/10240 are possible/);
});
