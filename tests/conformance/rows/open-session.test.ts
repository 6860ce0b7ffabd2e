import { beforeAll, expect } from 'vitest';
import type { HttpOwner, HttpSession } from '../../support/http/http-owner.ts';
import { waitUntil } from '../../support/wait-until.ts';
import { row } from '../row.ts';
import {
  asOwner,
  createUnsigned,
  itemsOf,
  newOwner,
  newRecipient,
  ownerSends,
  readSession,
  revoke,
  transfer,
} from '../world.ts';

let owner: HttpOwner;
let session: HttpSession;
let recipient: string;
beforeAll(async () => {
  [owner, recipient] = await Promise.all([newOwner(5_000_000n), newRecipient()]);
  session = await owner.createSession({
    recipients: [recipient],
    maxPerTx: 1_000n,
    dailyCap: 1_500n,
  });
});

row('open.bits', async () => {
  for (const bits of [0, 1, 2, 4, 7]) {
    expect((await createUnsigned(owner, { allowed_instructions: bits })).status).toBe(200);
  }
  for (const bits of [8, 9, -1, 0.5, '1']) {
    expect(await createUnsigned(owner, { allowed_instructions: bits })).toMatchObject({
      status: 400,
      body: { error: expect.stringMatching(/^allowed_instructions /) },
    });
  }
});

/** Undefined when such a session is made. */
const refusalOf = async (wish: Readonly<Record<string, unknown>>): Promise<unknown> =>
  (await createUnsigned(owner, wish)).body['error'];

row('open.expiry-unit', async () => {
  const now = Math.floor(Date.now() / 1_000);
  expect(await refusalOf({ expiry: now + 3_600 })).toBeUndefined();
  expect(await refusalOf({ expiry: now - 1 })).toMatch(/^expiry must be in the future/);
  expect(await refusalOf({ expiry: Date.now() + 3_600_000 })).toMatch(/^expiry .*milliseconds/);
});

row('open.session.amounts', async () => {
  const largest = (2n ** 64n - 1n).toString();
  expect(await refusalOf({ max_per_tx: largest, daily_cap: largest })).toBeUndefined();
  expect(await refusalOf({ max_per_tx: 2, daily_cap: 1 })).toBeUndefined();
  for (const field of ['max_per_tx', 'daily_cap']) {
    for (const value of [0, -1, (2n ** 64n).toString()]) {
      expect(await refusalOf({ [field]: value })).toMatch(new RegExp(`^${field} must be`));
    }
  }
});

row('open.session.no-recipients', async () => {
  const one = await owner.createSession({ recipients: [] });
  const answer = await transfer(one.apiKey, { recipient, amount: 1 });
  expect(answer).toMatchObject({ status: 402, body: { code: 'RecipientNotAllowed' } });
});

const FIELDS = [
  'allowed_instructions',
  'allowed_recipients',
  'created_at',
  'daily_cap',
  'daily_remaining',
  'daily_resets_at',
  'daily_spent',
  'daily_window_start',
  'expiry',
  'key_prefix',
  'max_per_tx',
  'session_id',
  'session_pda',
  'session_pubkey',
  'status',
  'wallet_id',
];

row('open.session.detail', async () => {
  const detail = await readSession(owner, session.sessionId);
  expect(Object.keys(detail).toSorted()).toEqual(FIELDS);
  const prefix = String(detail['key_prefix']);
  expect(session.apiKey.startsWith(prefix)).toBe(true);
  expect(prefix.length).toBeLessThan(session.apiKey.length / 2);
});

row('open.session.list', async () => {
  // From now on something counts, and the window stands still.
  await transfer(session.apiKey, { recipient, amount: 1 });
  const { body } = await asOwner(owner, 'GET', '/v1/session');
  const listed = itemsOf(body).find((item) => item['session_id'] === session.sessionId);
  expect(listed).toEqual(await readSession(owner, session.sessionId));
});

row('open.session.daily', async () => {
  const one = await owner.createSession({ recipients: [recipient], dailyCap: 1_000n });
  const asked = Math.floor(Date.now() / 1_000);
  const fresh = await readSession(owner, one.sessionId);
  expect(fresh).toMatchObject({ daily_spent: 0, daily_remaining: 1_000, daily_resets_at: null });
  expect(Number(fresh['daily_window_start'])).toBeGreaterThanOrEqual(asked - 86_401);
  expect(Number(fresh['daily_window_start'])).toBeLessThanOrEqual(asked - 86_390);
  await transfer(one.apiKey, { recipient, amount: 400 });
  const spent = await readSession(owner, one.sessionId);
  expect(spent).toMatchObject({ daily_spent: 400, daily_remaining: 600 });
  // The hour of the spend drops out whole, a day after its end.
  const resetsAt = Number(spent['daily_window_start']) + 90_000;
  expect(spent['daily_resets_at']).toBe(resetsAt);
});

row('open.session.blast-radius', async () => {
  const limits = { recipients: [recipient], maxPerTx: 1n, dailyCap: 900n };
  const fresh = await newOwner(1_000n);
  const one = await fresh.createSession(limits);
  await fresh.createSession({ ...limits, dailyCap: 800n });
  const [ofOne, ofAll] = await Promise.all([
    asOwner(fresh, 'GET', `/v1/session/${one.sessionId}/blast-radius`),
    asOwner(fresh, 'GET', '/v1/wallet/blast-radius'),
  ]);
  expect(ofOne).toMatchObject({
    status: 200,
    body: { by_limits: { now: '900', within_24h: '900' }, of_holdings: { now: '900' } },
  });
  expect(ofAll).toMatchObject({
    status: 200,
    body: { live_sessions: 2, by_limits: { now: '1700' }, of_holdings: { now: '1000' } },
  });
});

row('open.session.statuses', async () => {
  const soon = BigInt(Math.floor(Date.now() / 1_000) + 6);
  const expiring = await owner.createSession({ recipients: [], expiry: soon });
  const revoked = await owner.createSession({ recipients: [] });
  await revoke(owner, revoked.sessionId);
  const { body } = await createUnsigned(owner);
  const statusOf = async (id: unknown) => (await readSession(owner, String(id)))['status'];
  expect(await statusOf(body['session_id'])).toBe('awaiting_owner_signature');
  expect(await statusOf(session.sessionId)).toBe('live');
  expect(await statusOf(revoked.sessionId)).toBe('revoked');
  await waitUntil('its expiry', async () => (await statusOf(expiring.sessionId)) === 'expired', {
    timeoutMs: 30_000,
  });
});

row('open.session.revoke', async () => {
  const one = await owner.createSession({ recipients: [recipient] });
  const { status, body } = await asOwner(owner, 'POST', `/v1/session/${one.sessionId}/revoke`);
  expect([status, Object.keys(body)]).toEqual([200, ['txBase64']]);
  // Asked for is not yet done.
  expect((await transfer(one.apiKey, { recipient, amount: 1 })).status).toBe(200);
  await ownerSends(owner.keypair, String(body['txBase64']));
  expect((await readSession(owner, one.sessionId))['status']).toBe('revoked');
});

row('open.rotate-key', async () => {
  const one = await owner.createSession({ recipients: [] });
  const { status, body } = await asOwner(owner, 'POST', `/v1/session/${one.sessionId}/rotate-key`);
  expect(status).toBe(200);
  expect(body).toEqual({ session_id: one.sessionId, api_key: expect.stringMatching(/^svc_dev_/) });
});
