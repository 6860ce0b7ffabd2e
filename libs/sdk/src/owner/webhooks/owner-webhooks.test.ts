import { expect, it } from 'vitest';
import { reply } from '../../../fixtures/scripted-api.ts';
import { newSigner, type OwnerScript, scriptOwner } from '../../../fixtures/scripted-owner.ts';

const ID = '5c0e9d1f-3b7a-4c26-8e94-1f6a2d7b8c05';
const WEBHOOK = {
  webhook_id: ID,
  wallet_id: '7d3f8a52-0c4e-4b7a-9d61-5e2b8f1c6a30',
  url: 'https://hooks.example.com/',
  events: ['wallet.low_balance'],
  low_balance_below: '18446744073709551615',
  enabled: true,
  disabled_why: null,
  failing_since: null,
  old_secret_ends_at: null,
  created_at: '2027-01-15T08:00:00.000Z',
};

const script = (replies: OwnerScript) =>
  scriptOwner(newSigner(), replies, { timeOfDayMs: 1_800_000_000_000 });

it('creates a webhook with exact amounts, under one key for all tries', async () => {
  const { client, sent } = script({
    'POST /v1/webhooks': [
      () =>
        reply(503, {
          error: 'x',
          code: 'DATABASE_UNAVAILABLE',
          layer: 'off-chain',
          retryable: true,
        }),
      () => reply(200, { ...WEBHOOK, secret: 'whsec_AAAA' }),
    ],
  });
  const created = await client.webhooks.create({
    url: WEBHOOK.url,
    events: ['wallet.low_balance'],
    low_balance_below: 2n ** 64n - 1n,
  });
  expect(created).toMatchObject({ secret: 'whsec_AAAA', low_balance_below: 2n ** 64n - 1n });
  const { url, events, low_balance_below } = WEBHOOK;
  for (const { body } of sent) expect(body).toEqual({ url, events, low_balance_below });
  expect(sent).toHaveLength(2);
  const keys = sent.map(({ headers }) => headers.get('idempotency-key'));
  expect(keys[0]).toMatch(/^[0-9a-f-]{36}$/);
  expect(keys[1]).toBe(keys[0]);
});

it('names the webhook in the path, and sends only what changes', async () => {
  const path = `/v1/webhooks/${ID}`;
  const delivery = {
    delivery_id: 'a4d81c3e-7f20-4e95-b6c8-0d3f5e9a7214',
    event_id: 'evt_1',
    type: 'webhook.test',
    state: 'pending',
    tries: 0,
    last_status: null,
    last_fault: null,
    next_try_at: WEBHOOK.created_at,
    created_at: WEBHOOK.created_at,
    ended_at: null,
  };
  const { client, sent } = script({
    'GET /v1/webhooks': [() => reply(200, { items: [WEBHOOK] })],
    [`GET ${path}`]: [() => reply(200, WEBHOOK)],
    [`PATCH ${path}`]: [() => reply(200, { ...WEBHOOK, enabled: false })],
    [`POST ${path}/rotate-secret`]: [
      () =>
        reply(200, {
          webhook_id: ID,
          secret: 'whsec_BBBB',
          old_secret_ends_at: WEBHOOK.created_at,
        }),
    ],
    [`POST ${path}/test`]: [() => reply(200, delivery)],
    [`DELETE ${path}`]: [() => reply(200, { webhook_id: ID })],
    [`GET ${path}/deliveries`]: [
      () => reply(200, { items: [delivery], next_cursor: 'c' }),
      () => reply(200, { items: [delivery], next_cursor: null }),
    ],
  });
  const { webhooks } = client;
  expect(await webhooks.list()).toEqual([await webhooks.get(ID)]);
  await expect(webhooks.change(ID, { enabled: false })).resolves.toMatchObject({ enabled: false });
  await expect(webhooks.rotateSecret(ID)).resolves.toMatchObject({ secret: 'whsec_BBBB' });
  expect(await webhooks.test(ID)).toEqual(delivery);
  expect(await Array.fromAsync(webhooks.deliveries(ID, { state: 'pending' }))).toHaveLength(2);
  await webhooks.delete(ID);
  expect(sent.find(({ operation }) => operation.startsWith('PATCH'))?.body).toEqual({
    enabled: false,
  });
});
