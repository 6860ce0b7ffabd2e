import { expect, test } from 'vitest';
import { parseMcpSettings } from './settings.ts';

const KEY = 'svc_dev_secret';
const GIVEN = { AGENT_WALLET_URL: 'https://wallet.example', AGENT_WALLET_KEY: KEY };
const TOKEN = 'x'.repeat(32);

test('two settings suffice, for stdio', () => {
  expect(parseMcpSettings(GIVEN)).toEqual({
    ...GIVEN,
    MCP_TRANSPORT: 'stdio',
    MCP_HOST: '127.0.0.1',
    MCP_PORT: 3_920,
    MCP_ALLOWED_HOSTS: [],
  });
});

test('the limit of a call is read as USDC', () => {
  const settings = parseMcpSettings({ ...GIVEN, AGENT_WALLET_MAX_AMOUNT: '0.25' });
  expect(settings.AGENT_WALLET_MAX_AMOUNT).toBe(250_000n);
});

test.each([
  [{ AGENT_WALLET_URL: undefined }, 'AGENT_WALLET_URL is missing'],
  [{ AGENT_WALLET_URL: 'ftp://wallet.example' }, 'AGENT_WALLET_URL must be an http or https URL'],
  [{ AGENT_WALLET_KEY: undefined }, 'AGENT_WALLET_KEY is missing'],
  [
    { AGENT_WALLET_KEY: 'secret' },
    'AGENT_WALLET_KEY must begin with svc_dev_, svc_test_ or svc_prod_',
  ],
  [{ AGENT_WALLET_KEY: `${KEY}\n` }, 'AGENT_WALLET_KEY must begin with'],
  [{ AGENT_WALLET_MAX_AMOUNT: '1e3' }, 'AGENT_WALLET_MAX_AMOUNT must be an amount of USDC'],
  [{ MCP_TRANSPORT: 'sse' }, 'MCP_TRANSPORT must be one of stdio, http'],
  [
    { MCP_TRANSPORT: 'http', MCP_HOST: '0.0.0.0' },
    'MCP_TOKEN must be set where MCP_HOST is not on loopback',
  ],
  [{ MCP_TOKEN: 'short' }, 'MCP_TOKEN must have at least 32 characters'],
])('%o is refused without its value', (fields, sentence) => {
  const parse = () => parseMcpSettings({ ...GIVEN, ...fields });
  expect(parse).toThrow(sentence);
  expect(parse).not.toThrow(/secret|short/);
});

test.each([
  { MCP_TRANSPORT: 'http', MCP_HOST: '::1' },
  { MCP_TRANSPORT: 'http', MCP_HOST: '0.0.0.0', MCP_TOKEN: TOKEN },
])('%o is allowed', (fields) => {
  expect(parseMcpSettings({ ...GIVEN, ...fields })).toMatchObject(fields);
});
