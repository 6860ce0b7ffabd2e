import { expect, it } from 'vitest';
import { parseConfig } from './config.ts';

const COMPLETE = {
  DATABASE_URL: 'postgres://localhost/x',
  RPC_URL: 'http://localhost:8899',
  PROGRAM_ID: '1'.repeat(32),
  USDC_MINT: '1'.repeat(32),
  DASHBOARD_ORIGIN: 'http://localhost:3000',
  COOKIE_SECRET: 'c'.repeat(32),
  API_KEY_PEPPER: 'p'.repeat(32),
};

it('fills in what may be left out', () => {
  expect(parseConfig(COMPLETE)).toMatchObject({
    HOST: '127.0.0.1',
    PORT: 8080,
    SIGN_IN_PER_MINUTE: 30,
    RATE_PER_SECOND: 100,
    RATE_BURST: 500,
    ALLOW_MAINNET: false,
  });
});

const ANSWERED = ['PROGRAM_ID', 'USDC_MINT'];

it.each(Object.keys(COMPLETE).filter((name) => !ANSWERED.includes(name)))(
  'says in one sentence that %s is missing',
  (name) => {
    const environment = { ...COMPLETE, [name]: undefined };
    expect(() => parseConfig(environment)).toThrow(
      `api: the environment variable ${name} is missing`,
    );
  },
);

it.each([
  ['COOKIE_SECRET', 'short-secret'],
  ['PORT', 'eighty'],
  ['DASHBOARD_ORIGIN', 'http://localhost:3000/page'],
  ['DASHBOARD_ORIGIN', 'ftp://localhost'],
  ['PUBLIC_RPC_URL', 'wss://rpc.example.com'],
  ['EXPLORER_URL', 'https://explorer.example.com/tx'],
])('names %s when its value will not do, and never the value', (name, value) => {
  const read = () => parseConfig({ ...COMPLETE, [name]: value });
  expect(read).toThrow(`the environment variable ${name} `);
  expect(read).not.toThrow(value);
});

it.each([
  [{ PORT: '9464' }, 'METRICS_PORT must differ from PORT'],
  [{ API_KEY_PEPPER: COMPLETE.COOKIE_SECRET }, 'API_KEY_PEPPER must differ from COOKIE_SECRET'],
  [
    { ALLOW_MAINNET: 'true', LOOPBACK_SERVICES: 'http://localhost:1' },
    'LOOPBACK_SERVICES must be empty where ALLOW_MAINNET is true',
  ],
])('refuses the contradiction %o', (values, what) => {
  expect(() => parseConfig({ ...COMPLETE, ...values })).toThrow(`the environment variable ${what}`);
});
