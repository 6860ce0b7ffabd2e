import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Keypair } from '@solana/web3.js';
import { afterAll, expect, test } from 'vitest';
import { CliError } from '../cli-error.ts';
import { readKeypairFile } from './keypair-file.ts';

const dir = mkdtempSync(join(tmpdir(), 'keypair-file-'));
const file = join(dir, 'key.json');
afterAll(() => rmSync(dir, { recursive: true }));

const keypair = Keypair.generate();
const bytes = [...keypair.secretKey];

test('reads a key in the format of the Solana command line', () => {
  writeFileSync(file, JSON.stringify(bytes));
  expect(readKeypairFile(file).publicKey.equals(keypair.publicKey)).toBe(true);
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
