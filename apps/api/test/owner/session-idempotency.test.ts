import type { LightMyRequestResponse } from 'fastify';
import { sql } from 'slonik';
import { describe, expect, it } from 'vitest';
import { sessionState } from '../fixtures/fake-chain.ts';
import { addSessionKey } from '../fixtures/open-session.ts';
import { messageOf } from '../fixtures/owner-transaction.ts';
import { newAddress, type Owner, signIn } from '../fixtures/signed-in-owner.ts';
import { expectRefused, useTestApp } from '../fixtures/test-app.ts';

const t = await useTestApp();

type Created = {
  readonly session_id: string;
  readonly session_pda: string;
  readonly session_pubkey: string;
  readonly api_key: string | null;
  readonly txBase64: string | null;
};
const bodyOf = (answer: LightMyRequestResponse): Created => {
  expect(answer.statusCode).toBe(200);
  return answer.json<Created>();
};

const accountsOf = ({ txBase64 }: Created): string[] =>
  messageOf(txBase64 ?? '').accountKeys.map((key) => key.toBase58());

/** An owner with an active vault, three free session keys, and a request of a session. */
async function readyOwner() {
  const owner = await signIn(t);
  const wallet = await owner.call('POST', '/v1/wallet', {});
  t.chain.addVault(owner.pubkey, 0n);
  for (let i = 0; i < 3; i += 1) await addSessionKey(t);
  const body = {
    wallet_id: wallet.json<{ wallet_id: string }>().wallet_id,
    max_per_tx: 5,
    daily_cap: 7,
    expiry: Math.floor(t.clock.nowMs / 1000) + 60,
    allowed_recipients: [newAddress()],
    allowed_instructions: 1,
  };
  const request = (key: string, fields: object = {}) =>
    owner.call('POST', '/v1/session', { ...body, ...fields }, { 'idempotency-key': key });
  return { owner, body, request };
}

const countSessions = async (owner: Owner): Promise<number> =>
  (await owner.call('GET', '/v1/session')).json<{ items: object[] }>().items.length;

describe('POST /v1/session with an Idempotency-Key', () => {
  it('creates one session, and shows its api key once', async () => {
    const { owner, request } = await readyOwner();
    const first = bodyOf(await request('k'));
    expect(first.api_key).toMatch(/^svc_dev_/);
    const again = bodyOf(await request('k'));
    expect(again).toEqual({ ...first, api_key: null, txBase64: expect.any(String) });
    // The same session once more: another transaction of the same accounts.
    expect(accountsOf(again)).toEqual(accountsOf(first));
    expect(await countSessions(owner)).toBe(1);
    const kept = await t.db.one(sql.unsafe`
      select count(*)::int as keys, count(*) filter (where revoked_at is null)::int as live
      from api_key where session_id = ${first.session_id}::uuid
    `);
    expect(kept).toEqual({ keys: 1, live: 1 });
    expect(t.logLines()).not.toContain(first.api_key);
  });

  it('leaves the api key of the first response working, and gets a new one by rotation', async () => {
    const { owner, request } = await readyOwner();
    const first = bodyOf(await request('k'));
    await request('k');
    t.chain.sessions.set(first.session_pda, sessionState({}));
    const read = (key: string | null) =>
      t.app.inject({ url: '/v1/spends', headers: { authorization: `Bearer ${key}` } });
    expect((await read(first.api_key)).statusCode).toBe(200);
    const rotated = await owner.call('POST', `/v1/session/${first.session_id}/rotate-key`);
    expect((await read(rotated.json<{ api_key: string }>().api_key)).statusCode).toBe(200);
    expectRefused(await read(first.api_key), 401, 'api key revoked');
  });

  it('creates one session for requests at once, and shows one of them the api key', async () => {
    const { owner, request } = await readyOwner();
    const created = (await Promise.all([1, 2, 3, 4].map(() => request('k')))).map(bodyOf);
    expect(new Set(created.map((one) => one.session_id)).size).toBe(1);
    expect(created.filter((one) => one.api_key !== null)).toHaveLength(1);
    expect(await countSessions(owner)).toBe(1);
  });

  it('has no transaction to sign once the session is on chain, or has expired', async () => {
    const { request } = await readyOwner();
    const { session_id: id, session_pda: pda } = bodyOf(await request('k'));
    t.chain.sessions.set(pda, sessionState({}));
    const onChain = bodyOf(await request('k'));
    expect(onChain).toMatchObject({ session_id: id, api_key: null, txBase64: null });
    t.chain.sessions.delete(pda);
    expect(bodyOf(await request('k')).txBase64).not.toBeNull();
    t.clock.nowMs += 61_000;
    expect(bodyOf(await request('k'))).toMatchObject({ session_id: id, txBase64: null });
  });

  it.each([
    ['max_per_tx', 6],
    ['daily_cap', 8],
    ['expiry', 4_000_000_000],
    ['allowed_recipients', []],
    ['allowed_instructions', 7],
    ['wallet_id', 'another'],
  ])('refuses the key for another %s', async (field, value) => {
    const { owner, request } = await readyOwner();
    await request('k');
    const answer = await request('k', { [field]: value });
    expectRefused(answer, 409, 'idempotency key reused', { code: 'IDEMPOTENCY_KEY_REUSED' });
    expect(await countSessions(owner)).toBe(1);
  });

  it('takes an amount as a number and as text for the same', async () => {
    const { request } = await readyOwner();
    const first = bodyOf(await request('k'));
    expect(bodyOf(await request('k', { max_per_tx: '5' })).session_id).toBe(first.session_id);
  });

  it('counts per owner, and not at all without the header', async () => {
    const mine = await readyOwner();
    const theirs = await readyOwner();
    const first = bodyOf(await mine.request('k'));
    const other = bodyOf(await theirs.request('k'));
    expect(other.session_id).not.toBe(first.session_id);
    expect(other.api_key).not.toBeNull();
    const plain = async () => bodyOf(await mine.owner.call('POST', '/v1/session', mine.body));
    expect((await plain()).session_id).not.toBe((await plain()).session_id);
  });

  it('keeps no key of a request that was refused', async () => {
    const { request } = await readyOwner();
    expectRefused(await request('k', { expiry: 1 }), 400, /^expiry must be in the future/);
    t.chain.isDown = true;
    expectRefused(await request('k'), 503, 'rpc unavailable');
    t.chain.isDown = false;
    expect(bodyOf(await request('k')).api_key).not.toBeNull();
  });

  it.each(['', 'x'.repeat(256), 'a b'])('refuses the key "%.20s" with 400', async (key) => {
    const { request } = await readyOwner();
    expectRefused(await request(key), 400, /^Idempotency-Key must be 1 to 255/);
  });
});
