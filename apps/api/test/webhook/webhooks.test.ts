import { randomBytes, randomUUID } from 'node:crypto';
import { openWebhookKeystore } from '@agent-wallet/keystore';
import { sql } from 'slonik';
import { beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { type Owner, signIn } from '../fixtures/signed-in-owner.ts';
import { expectRefused, expectReply, useTestApp } from '../fixtures/test-app.ts';

const t = await useTestApp({ loopbackOrigins: ['http://127.0.0.1:4999'] });
const keystore = await openWebhookKeystore({
  db: t.db,
  key: randomBytes(32).toString('base64'),
});

const URL_OF_OWNER = 'https://hooks.example.com/wallet';
const REQUEST = { url: URL_OF_OWNER, events: ['spend.settled', 'spend.refused'] };

let owner: Owner;
let webhookId: string;
beforeAll(async () => {
  owner = await ownerWithVault();
  webhookId = (await create(owner)).webhook_id;
});

async function ownerWithVault(): Promise<Owner> {
  const one = await signIn(t);
  await one.call('POST', '/v1/wallet', {});
  t.chain.addVault(one.pubkey, 0n);
  return one;
}

type Created = { readonly webhook_id: string; readonly secret: string | null };

async function create(who: Owner, fields: object = {}, headers = {}): Promise<Created> {
  const answer = await who.call('POST', '/v1/webhooks', { ...REQUEST, ...fields }, headers);
  expect(answer.statusCode).toBe(200);
  return answer.json<Created>();
}

const secretRow = z.object({ secretId: z.string(), sealed: z.instanceof(Buffer) });

async function readSecrets(id: string): Promise<readonly string[]> {
  const rows = await t.db.any(sql.type(secretRow)`
    select secret_id as "secretId", sealed from webhook_secret
    where endpoint_id = ${id}::uuid order by created_at desc
  `);
  return rows.map(({ secretId, sealed }) => keystore.open(secretId, sealed));
}

describe('POST /v1/webhooks', () => {
  it('creates a webhook and shows its secret once', async () => {
    const created = await create(await ownerWithVault());
    expect(created).toMatchObject({
      ...REQUEST,
      low_balance_below: null,
      enabled: true,
      disabled_why: null,
    });
    expect(created.secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect(await readSecrets(created.webhook_id)).toEqual([created.secret]);
    expect(t.logLines()).not.toContain(created.secret);
  });

  it('gets the webhook again under the same Idempotency-Key, without its secret', async () => {
    const one = await ownerWithVault();
    const key = { 'idempotency-key': 'k' };
    const first = await create(one, {}, key);
    const again = await create(one, { events: REQUEST.events.toReversed() }, key);
    expect(again).toEqual({ ...first, secret: null });
    const other = await one.call(
      'POST',
      '/v1/webhooks',
      { ...REQUEST, url: `${URL_OF_OWNER}2` },
      key,
    );
    expectRefused(other, 409, 'idempotency key reused');
    expect((await create(await ownerWithVault(), {}, key)).secret).not.toBeNull();
  });

  it('creates at most five for a wallet, also at once', async () => {
    const one = await ownerWithVault();
    const answers = await Promise.all(
      Array.from({ length: 7 }, () => one.call('POST', '/v1/webhooks', REQUEST)),
    );
    const full = answers.filter(({ statusCode }) => statusCode !== 200);
    expect(full).toHaveLength(2);
    for (const answer of full) expectRefused(answer, 409, 'too many webhooks');
  });

  it.each([
    ['http://hooks.example.com/', 'url must be an https URL'],
    ['https://127.0.0.1/', 'url must have a host name, not an IP address'],
    ['https://[::1]/', 'url must have a host name, not an IP address'],
    ['https://2130706433/', 'url must have its host and port in plain spelling'],
    ['https://localhost/', 'url must have a public host name'],
    ['https://metadata.google.internal/', 'url must have a public host name'],
    ['https://user@hooks.example.com/', 'url must not contain a user name'],
    ['https://hooks.example.com:25/', /^url must use port 443/],
    ['http://127.0.0.1:5000/', 'url must be an https URL'],
    ['no url', /^url must not contain spaces/],
  ])('refuses the url %s', async (url, error) => {
    expectRefused(await owner.call('POST', '/v1/webhooks', { ...REQUEST, url }), 400, error);
  });

  it('takes an origin on this machine that the settings name', async () => {
    const url = 'http://127.0.0.1:4999/hook';
    expect(await create(await ownerWithVault(), { url })).toMatchObject({ url });
  });

  it.each([
    [{ events: [] }, 'events must hold at least one event'],
    [{ events: ['spend.settled', 'spend.settled'] }, 'events must not hold the same event twice'],
    [{ events: ['spend.lost'] }, /^events.* must be an array of spend\.settled/],
    [{ events: ['webhook.test'] }, /^events.* must be an array of spend\.settled/],
    [
      { events: ['wallet.low_balance'] },
      'low_balance_below must be set for the event wallet.low_balance',
    ],
    [{ low_balance_below: 0 }, /^low_balance_below must be a positive number/],
  ])('refuses %j', async (fields, error) => {
    expectRefused(await owner.call('POST', '/v1/webhooks', { ...REQUEST, ...fields }), 400, error);
  });

  it('needs a vault on chain', async () => {
    const none = await signIn(t);
    expectRefused(await none.call('POST', '/v1/webhooks', REQUEST), 404, 'wallet not found');
    await none.call('POST', '/v1/wallet', {});
    expectRefused(await none.call('POST', '/v1/webhooks', REQUEST), 409, 'wallet not active');
  });
});

describe('a webhook', () => {
  it('is listed and read by its owner', async () => {
    const read = await owner.call('GET', `/v1/webhooks/${webhookId}`);
    expectReply(read, 200, { webhook_id: webhookId, ...REQUEST });
    expect(read.body).not.toContain('secret"');
    const list = await owner.call('GET', '/v1/webhooks');
    expect(list.json()).toEqual({ items: [read.json()] });
    expectReply(await (await signIn(t)).call('GET', '/v1/webhooks'), 200, { items: [] });
  });

  it('changes what is named and nothing else', async () => {
    const one = await ownerWithVault();
    const { webhook_id: id } = await create(one);
    const change = (fields: object) => one.call('PATCH', `/v1/webhooks/${id}`, fields);
    expectReply(await change({ enabled: false }), 200, {
      ...REQUEST,
      enabled: false,
      disabled_why: 'owner',
    });
    const events = ['wallet.low_balance'];
    expectRefused(await change({ events }), 400, /^low_balance_below must be set/);
    expectReply(await change({ events, low_balance_below: '7' }), 200, {
      url: URL_OF_OWNER,
      events,
      low_balance_below: 7,
      enabled: false,
    });
    expectRefused(await change({ low_balance_below: null }), 400, /^low_balance_below must be set/);
    expectRefused(await change({ url: 'https://10.0.0.1/' }), 400, /^url must have a host name/);
    expectRefused(await change({}), 400, /^body must name one of url/);
    expectReply(await change({ enabled: true }), 200, { enabled: true, disabled_why: null });
  });

  it('begins with the events from now on when it is enabled again', async () => {
    const one = await ownerWithVault();
    const { webhook_id: id } = await create(one);
    await one.call('PATCH', `/v1/webhooks/${id}`, { enabled: false });
    await t.db.query(sql.unsafe`update wallet set audit_seq = 9 where owner = ${one.pubkey}`);
    const seqOf = () =>
      t.db.oneFirst(sql.unsafe`
        select audit_seq::int as seq from webhook_endpoint where endpoint_id = ${id}::uuid
      `);
    expect(await seqOf()).toBe(0);
    await one.call('PATCH', `/v1/webhooks/${id}`, { enabled: true });
    expect(await seqOf()).toBe(9);
  });

  it('keeps its old secrets for a day, so that a repeated rotation ends none in use', async () => {
    const one = await ownerWithVault();
    const { webhook_id: id, secret } = await create(one);
    const secrets = [secret];
    for (let i = 0; i < 4; i += 1) {
      const answer = await one.call('POST', `/v1/webhooks/${id}/rotate-secret`);
      const rotated = answer.json<{ secret: string; old_secret_ends_at: string }>();
      const hours = (Date.parse(rotated.old_secret_ends_at) - Date.now()) / 3_600_000;
      expect(Math.round(hours)).toBe(24);
      secrets.unshift(rotated.secret);
      expect(await readSecrets(id)).toEqual(secrets.slice(0, 4));
    }
    expect(new Set(secrets).size).toBe(5);
  });

  it('is gone after its deletion, with its secrets and deliveries', async () => {
    const one = await ownerWithVault();
    const { webhook_id: id } = await create(one);
    await one.call('POST', `/v1/webhooks/${id}/test`);
    expectReply(await one.call('DELETE', `/v1/webhooks/${id}`), 200, { webhook_id: id });
    expectRefused(await one.call('GET', `/v1/webhooks/${id}`), 404, 'webhook not found');
    expectRefused(await one.call('DELETE', `/v1/webhooks/${id}`), 404, 'webhook not found');
    expect(await readSecrets(id)).toEqual([]);
  });

  it.each([
    ['GET', ''],
    ['PATCH', ''],
    ['DELETE', ''],
    ['POST', '/rotate-secret'],
    ['POST', '/test'],
    ['GET', '/deliveries'],
  ] as const)('is unknown to another owner: %s %s', async (method, rest) => {
    const other = await ownerWithVault();
    const payload = method === 'PATCH' ? { enabled: false } : undefined;
    for (const id of [webhookId, randomUUID(), 'no-uuid']) {
      const answer = await other.call(method, `/v1/webhooks/${id}${rest}`, payload);
      expectRefused(answer, 404, 'webhook not found', { code: 'WEBHOOK_NOT_FOUND' });
    }
    expectReply(await owner.call('GET', `/v1/webhooks/${webhookId}`), 200, { enabled: true });
  });
});

describe('deliveries', () => {
  it('hold a test event, of which there is one in five seconds', async () => {
    const one = await ownerWithVault();
    const { webhook_id: id } = await create(one);
    const sent = await one.call('POST', `/v1/webhooks/${id}/test`);
    expectReply(sent, 200, { type: 'webhook.test', state: 'pending', tries: 0 });
    const again = await one.call('POST', `/v1/webhooks/${id}/test`);
    expectRefused(again, 429, 'rate limited');
    expect(again.headers['retry-after']).toBe('5');
    const list = await one.call('GET', `/v1/webhooks/${id}/deliveries`);
    expect(list.json()).toEqual({ items: [sent.json()], next_cursor: null });
    await one.call('PATCH', `/v1/webhooks/${id}`, { enabled: false });
    const disabled = await one.call('POST', `/v1/webhooks/${id}/test`);
    expectRefused(disabled, 409, 'webhook disabled');
  });

  it('are read page by page, newest first, by state', async () => {
    const one = await ownerWithVault();
    const { webhook_id: id } = await create(one);
    await t.db.query(sql.unsafe`
      insert into webhook_delivery (endpoint_id, wallet_id, event_id, type, body, state, try_at,
        ended_at)
      select endpoint_id, wallet_id, 'evt_' || n, 'spend.settled', '{}',
        case when n > 3 then 'failed' else 'pending' end,
        case when n > 3 then null else now() end, case when n > 3 then now() end
      from webhook_endpoint, generate_series(1, 5) n where endpoint_id = ${id}::uuid
    `);
    type Page = { items: { event_id: string }[]; next_cursor: string | null };
    const read = async (query: string): Promise<Page> =>
      (await one.call('GET', `/v1/webhooks/${id}/deliveries?${query}`)).json();
    const ids = ({ items }: Page) => items.map((item) => item.event_id);
    const first = await read('limit=3');
    expect(ids(first)).toEqual(['evt_5', 'evt_4', 'evt_3']);
    const second = await read(`limit=3&cursor=${first.next_cursor}`);
    expect(ids(second)).toEqual(['evt_2', 'evt_1']);
    expect(second.next_cursor).toBeNull();
    expect(ids(await read('state=failed'))).toEqual(['evt_5', 'evt_4']);
    const wrong = await one.call('GET', `/v1/webhooks/${id}/deliveries?cursor=x`);
    expectRefused(wrong, 400, 'cursor must be a next_cursor of an earlier answer');
  });
});

it('refuses a webhook while there is no key for its secret', async () => {
  await t.db.transaction(async (tx) => {
    await tx.query(sql.unsafe`create table kept_key as select * from webhook_key`);
    await tx.query(sql.unsafe`delete from webhook_key`);
  });
  const answer = await owner.call('POST', '/v1/webhooks', REQUEST);
  expectRefused(answer, 503, 'webhooks disabled', { retryable: false });
  const rotation = await owner.call('POST', `/v1/webhooks/${webhookId}/rotate-secret`);
  expectRefused(rotation, 503, 'webhooks disabled');
  expectReply(await owner.call('GET', '/v1/webhooks'), 200, {});
  await t.db.query(sql.unsafe`insert into webhook_key select * from kept_key`);
});
