import { expect, test } from 'vitest';
import { optionsFromEnvironment } from './environment.ts';

test('an empty environment means all embedded parts on the default ports', () => {
  expect(optionsFromEnvironment({ PATH: '/bin', RPC_URL: '' })).toEqual({
    apiPort: 8080,
    faucetPort: 8081,
    dashboardPort: 3000,
    facilitatorPort: 4022,
    env: { 'tx-worker': {}, 'confirm-worker': {}, api: {}, dashboard: {} },
  });
});

test('DATABASE_URL, RPC_URL and secrets are used, each only by its process', () => {
  const options = optionsFromEnvironment({
    PORT: '0',
    DATABASE_URL: 'postgres://127.0.0.1/wallet',
    RPC_URL: 'http://127.0.0.1:8899',
    KEYSTORE_KEY: 'k',
    WEBHOOK_KEY: 'w',
    RPC_MAX_CALLS_PER_S: '3',
    COOKIE_SECRET: 'c',
    PUBLIC_RPC_URL: 'https://rpc.example.com',
    EXPLORER_URL: 'https://explorer.example.com/{kind}/{id}',
    FEE_PAYER_KEYS: '["a","b"]',
  });
  expect(options).toMatchObject({
    apiPort: 0,
    databaseUrl: 'postgres://127.0.0.1/wallet',
    rpcUrl: 'http://127.0.0.1:8899',
    feePayerKeys: ['a', 'b'],
    env: {
      'tx-worker': { RPC_MAX_CALLS_PER_S: '3', KEYSTORE_KEY: 'k' },
      'confirm-worker': { RPC_MAX_CALLS_PER_S: '3', WEBHOOK_KEY: 'w' },
      api: {
        RPC_MAX_CALLS_PER_S: '3',
        COOKIE_SECRET: 'c',
        PUBLIC_RPC_URL: 'https://rpc.example.com',
        EXPLORER_URL: 'https://explorer.example.com/{kind}/{id}',
      },
      dashboard: {
        PUBLIC_RPC_URL: 'https://rpc.example.com',
        EXPLORER_URL: 'https://explorer.example.com/{kind}/{id}',
      },
    },
  });
});

test.each([
  ['PORT', 'eighty'],
  ['PORT', '70000'],
  ['RPC_URL', 'localhost'],
  ['FEE_PAYER_KEYS', 'not json'],
  ['PROCESS_COMMAND', 'run image {role}'],
])('%s=%s is refused in one sentence that names the variable', (name, value) => {
  expect(() => optionsFromEnvironment({ [name]: value })).toThrow(new RegExp(`^${name}: .*\\.$`));
});
