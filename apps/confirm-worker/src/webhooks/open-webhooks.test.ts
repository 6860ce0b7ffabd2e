import { randomBytes } from 'node:crypto';
import { createLogger } from '@agent-wallet/process';
import { readSealingKey } from '@agent-wallet/webhook';
import { expect, it } from 'vitest';
import { useTestDatabase } from '../../../../tests/support/database/test-database.ts';
import { createMetrics } from '../metrics.ts';
import { openWebhooks } from './open-webhooks.ts';

const { db } = await useTestDatabase();
const log = createLogger({ name: 'test', level: 'silent' });
/** Another copy leads. */
const lead = () => ({ wake: () => {} });
const newKey = (): string => randomBytes(32).toString('base64');

async function open(key: string | undefined): Promise<string> {
  const metrics = createMetrics();
  const rpc = { accounts: () => Promise.reject(new Error('no balance is watched')) };
  const settings = { db, rpc, lead, key, loopbackOrigins: [], metrics, log };
  const webhooks = await openWebhooks(settings);
  await webhooks[Symbol.asyncDispose]();
  return metrics.registry.metrics();
}

const ALERT = 'agent_wallet_alerts_total{kind="webhook_key"} 1';
const TRIES = 'agent_wallet_webhook_tries_total';

it('is off without a key, and the api gets nothing to seal to', async () => {
  expect(await open(undefined)).not.toContain(TRIES);
  expect(await readSealingKey(db)).toBeNull();
});

it('is on with a key, and off with an alert with another one', async () => {
  const key = newKey();
  expect(await open(key)).toContain(TRIES);
  expect(await readSealingKey(db)).not.toBeNull();
  for (const wrong of [newKey(), 'no key']) {
    const metrics = await open(wrong);
    expect(metrics).toContain(ALERT);
    expect(metrics).not.toContain(TRIES);
  }
  expect(await open(key)).not.toContain(ALERT);
});
