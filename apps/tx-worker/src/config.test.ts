import { randomBytes } from 'node:crypto';
import { Keypair } from '@solana/web3.js';
import bs58 from 'bs58';
import { expect, test } from 'vitest';
import { parseConfig } from './config.ts';

const payer = Keypair.generate();
const SECRET = bs58.encode(payer.secretKey);
const GOOD = {
  DATABASE_URL: 'postgres://user:database-password@localhost/db',
  RPC_URL: 'http://localhost:8899',
  PROGRAM_ID: 'bPnk5YbjddraY6VFyhAFS5at5FXNjEtCoDARzTL8jBm',
  USDC_MINT: '4zMMC9srt5Ri5X14GAgXhaHii3GnPAEERYPJgZJDncDU',
  KEYSTORE_KEY: randomBytes(32).toString('base64'),
  FEE_PAYER_KEYS: JSON.stringify([SECRET]),
} as const;

function sentenceOf(env: NodeJS.ProcessEnv): string {
  try {
    parseConfig(env);
  } catch (error) {
    return error instanceof Error ? `${error.message} ${error.stack}` : String(error);
  }
  return 'no error';
}

test('a whole environment is parsed, with defaults where nothing is said', () => {
  const config = parseConfig(GOOD);
  expect(config.FEE_PAYER_KEYS.map(({ publicKey }) => publicKey.toBase58())).toEqual([
    payer.publicKey.toBase58(),
  ]);
  expect(config).toMatchObject({ ALLOW_MAINNET: false, LOG_LEVEL: 'info' });
});

test.each(Object.keys(GOOD).filter((name) => name !== 'KEYSTORE_KEY'))(
  'without %s the sentence names it',
  (name) => {
    expect(sentenceOf({ ...GOOD, [name]: undefined })).toContain(name);
  },
);

test('fee payers that another system keeps suffice', () => {
  const signers = [
    { kind: 'vault', key: 'payer-1', address: payer.publicKey.toBase58() },
    { kind: 'aws-kms', keyId: 'alias/payer', address: payer.publicKey.toBase58() },
  ];
  const vault = { VAULT_ADDR: 'http://127.0.0.1:8200', VAULT_TOKEN: 'token' };
  const payers = { FEE_PAYER_KEYS: undefined, FEE_PAYER_SIGNERS: JSON.stringify(signers) };
  const env = { ...GOOD, ...payers, ...vault };
  expect(parseConfig(env).FEE_PAYER_SIGNERS).toEqual(signers);
  expect(sentenceOf({ ...env, FEE_PAYER_SIGNERS: '[]' })).toContain('FEE_PAYER_KEYS');
  expect(sentenceOf({ ...env, VAULT_TOKEN: undefined })).toContain('VAULT_TOKEN');
});

test.each([
  ['FEE_PAYER_SIGNERS', '[{"kind":"vault","key":"payer","address":"no-address-secret"}]'],
  ['FEE_PAYER_SIGNERS', '[{"kind":"another","address":"1"}]'],
  ['VAULT_ADDR', 'no-url-secret'],
  ['VAULT_TOKEN', ''],
  ['DATABASE_URL', ''],
  ['RPC_URL', 'not-an-url-but-secret'],
  ['FEE_PAYER_KEYS', '[]'],
  ['FEE_PAYER_KEYS', SECRET],
  ['FEE_PAYER_KEYS', JSON.stringify([SECRET.slice(0, -4)])],
  ['FEE_PAYER_KEYS', JSON.stringify([`${SECRET}0OIl`])],
  ['FEE_PAYER_KEYS', JSON.stringify({ key: SECRET })],
  ['SESSION_KEYS_AHEAD', 'many-secret'],
  ['LANE_DEPTH', '97'],
  ['LANE_DEPTH', '0'],
  ['LANE_DEPTH', ''],
  ['LANE_DEPTH', '1.5'],
  ['LANE_CONCURRENCY', '0'],
  ['PG_POOL_SIZE', '0'],
  ['METRICS_PORT', '65536'],
  ['LOG_LEVEL', 'loud-secret'],
  ['ALLOW_MAINNET', 'perhaps-secret'],
])('%s=%s is refused by name, never by value', (name, value) => {
  const sentence = sentenceOf({ ...GOOD, [name]: value });
  expect(sentence).toContain(name);
  expect(sentence).not.toContain(SECRET.slice(0, 20));
  expect(sentence).not.toContain('database-password');
  expect(sentence).not.toMatch(/-secret/);
});

const ABOVE_CAP = 'PRIORITY_FEE_FLOOR must not cost a transfer more than PRIORITY_FEE_CAP_LAMPORTS';

test.each([
  ['1', undefined, ABOVE_CAP],
  ['2', undefined, 'no error'],
  ['1', '8000', 'no error'],
  ['1', '9000', ABOVE_CAP],
])('a floor of 120 with a cap of %s lamports and %s units: %s', (cap, units, sentence) => {
  const fees = { PRIORITY_FEE_FLOOR: '120', PRIORITY_FEE_CAP_LAMPORTS: cap };
  expect(sentenceOf({ ...GOOD, ...fees, COMPUTE_UNIT_LIMIT: units })).toContain(sentence);
});
