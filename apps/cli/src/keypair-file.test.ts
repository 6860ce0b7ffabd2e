import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Keypair } from '@solana/web3.js';
import { afterAll, expect, test } from 'vitest';
import { CliError } from './cli-error.ts';
import { createKeypairFile, readKeypairFile } from './keypair-file.ts';

const dir = mkdtempSync(join(tmpdir(), 'keypair-file-'));
const file = join(dir, 'key.json');
afterAll(() => rmSync(dir, { recursive: true }));

const keypair = Keypair.generate();
const bytes = [...keypair.secretKey];

test('reads a key in the format of the Solana command line', () => {
  writeFileSync(file, JSON.stringify(bytes));
  expect(readKeypairFile(file)).toMatchObject({
    address: keypair.publicKey.toBase58(),
    secretKey: keypair.secretKey,
  });
});

test('creates a key that only its user can read, and never over another file', () => {
  const created = join(dir, 'new.json');
  const { address, secretKey } = createKeypairFile(created);
  expect(Keypair.fromSecretKey(secretKey).publicKey.toBase58()).toBe(address);
  expect(readKeypairFile(created).address).toBe(address);
  expect(statSync(created).mode & 0o777).toBe(0o600);
  expect(() => createKeypairFile(created)).toThrow('exists already');
  expect(readKeypairFile(created).address).toBe(address);
});

test.each([
  ['half of a key', JSON.stringify(bytes.slice(0, 32))],
  [
    'a key whose public part is another',
    JSON.stringify([...bytes.slice(0, 32), ...bytes.slice(0, 32)]),
  ],
  ['numbers that are no bytes', JSON.stringify([256, ...bytes.slice(1)])],
  ['base58', JSON.stringify('5K1gT')],
  ['no JSON', 'secret words'],
])('refuses %s without quoting the file', (_name, text) => {
  writeFileSync(file, text);
  const refused = (): unknown => readKeypairFile(file);
  const sentence = `${file} is no key file: it must be a JSON list of the 64 bytes of a key.`;
  expect(refused).toThrow(new CliError(sentence));
});

test('says which file cannot be read', () => {
  expect(() => readKeypairFile(join(dir, 'missing.json'))).toThrow('missing.json cannot be read.');
});
