import { Keypair } from '@solana/web3.js';
import bs58 from 'bs58';
import { expect, test } from 'vitest';
import { parseConfig } from './config.ts';

const feePayer = Keypair.generate();
const secret = bs58.encode(feePayer.secretKey);
const complete = {
  RPC_URL: 'https://rpc.example.com',
  PROGRAM_ID: 'bPnk5YbjddraY6VFyhAFS5at5FXNjEtCoDARzTL8jBm',
  USDC_MINT: '4zMMC9srt5Ri5X14GAgXhaHii3GnPAEERYPJgZJDncDU',
  FEE_PAYER_KEYS: JSON.stringify([secret]),
};

test('a chain, a program and a fee payer are enough, and listen on loopback', () => {
  const config = parseConfig(complete);
  expect(config).toMatchObject({
    HOST: '127.0.0.1',
    PORT: 4_022,
    METRICS_HOST: '127.0.0.1',
    METRICS_PORT: 9_467,
    ALLOW_MAINNET: false,
    MAX_FEE_LAMPORTS: 30_000,
  });
  expect(config.CALLER_KEYS).toBeUndefined();
  expect(config.FEE_PAYER_KEYS.map(({ publicKey }) => publicKey)).toEqual([feePayer.publicKey]);
});

test.each([
  ['FEE_PAYER_KEYS', '[]'],
  ['FEE_PAYER_KEYS', secret],
  ['CALLER_KEYS', '["too short"]'],
  ['MAX_FEE_LAMPORTS', '9999'],
  ['CONCURRENT_SETTLES', '-7'],
  ['RPC_URL', 'localhost'],
  ['BODY_LIMIT_BYTES', '1e9'],
])('%s=%s is refused by a sentence that names the variable and not its value', (name, value) => {
  const parse = () => parseConfig({ ...complete, [name]: value });
  expect(parse).toThrow(new RegExp(`^facilitator: the environment variable ${name} must `));
  expect(parse).not.toThrow(value);
});

test.each(Object.keys(complete))('%s cannot be left out', (name) => {
  const parse = () => parseConfig({ ...complete, [name]: undefined });
  expect(parse).toThrow(`the environment variable ${name} is missing`);
});
