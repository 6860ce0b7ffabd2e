import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { describeSetting } from './describe-setting.ts';
import { settingsFiles, urlOf } from './files.ts';
import { PROCESSES } from './processes.ts';

test.each([...settingsFiles()])('%s is what `npm run settings` writes', async (path, content) => {
  expect(await readFile(urlOf(path), 'utf8')).toBe(content);
});

test('these settings are secrets, which files can hold', () => {
  const secrets = Object.values(PROCESSES)
    .flatMap(({ shape }) => Object.entries(shape))
    .filter(([name, field]) => describeSetting(name, field).isSecret)
    .map(([name]) => name);
  expect(new Set(secrets)).toEqual(
    new Set([
      'AGENT_WALLET_KEY',
      'API_KEY_PEPPER',
      'CALLER_KEYS',
      'COOKIE_SECRET',
      'DATABASE_URL',
      'FEE_PAYER_KEYS',
      'KEYSTORE_KEY',
      'KEYSTORE_OTHER_KEYS',
      'MCP_TOKEN',
      'OTEL_EXPORTER_OTLP_HEADERS',
      'REDIS_URL',
      'RPC_URL',
      'VAULT_TOKEN',
      'WEBHOOK_KEY',
      'WS_URL',
    ]),
  );
});
