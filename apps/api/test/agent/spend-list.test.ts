import type { LightMyRequestResponse } from 'fastify';
import { sql } from 'slonik';
import { describe, expect, it } from 'vitest';
import { agentWith, openSession, type Session } from '../fixtures/open-session.ts';
import { signIn } from '../fixtures/signed-in-owner.ts';
import { settleQueued } from '../fixtures/spends-of-wallet.ts';
import { expectRefused, useTestApp } from '../fixtures/test-app.ts';

const t = await useTestApp();

type Page = {
  readonly items: readonly Record<string, unknown>[];
  readonly next_cursor: string | null;
};
const pageOf = (answer: LightMyRequestResponse): Page => answer.json<Page>();
const amountsOf = (answer: LightMyRequestResponse) =>
  pageOf(answer).items.map((one) => one['amount']);

const PENDING = { prefer: 'wait=0' };

/** Accepts spends of these amounts, one after the other, and returns their ids. */
async function accept(s: Pick<Session, 'pay'>, ...amounts: number[]): Promise<string[]> {
  const ids: string[] = [];
  for (const amount of amounts) {
    const answer = await s.pay(amount, PENDING);
    expect(answer.statusCode).toBe(202);
    ids.push(answer.json<{ spend_id: string }>().spend_id);
  }
  return ids;
}

/** A second live session of the same wallet. */
async function addAgent(s: Session) {
  const other = await openSession(t);
  await t.db.query(sql.unsafe`
    with moved as (
      update api_key set wallet_id = ${s.walletId}::uuid where session_id = ${other.sessionId}::uuid
    ), lanes as (
      update lane set wallet_id = ${s.walletId}::uuid where session_id = ${other.sessionId}::uuid
    )
    update session set wallet_id = ${s.walletId}::uuid where session_id = ${other.sessionId}::uuid
  `);
  return { sessionId: other.sessionId, ...agentWith(t, other.apiKey, other.recipient) };
}

async function acceptedAt(spendId: string, at: string): Promise<void> {
  await t.db.query(sql.unsafe`
    update spend set created_at = ${at}::timestamptz where spend_id = ${spendId}::uuid
  `);
}

/** Follows the cursor from the first page to the last. */
async function readAll(read: (query: string) => Promise<LightMyRequestResponse>, query: string) {
  const seen: unknown[] = [];
  let cursor: string | null = '';
  for (let page = 0; cursor !== null && page < 10; page += 1) {
    const answer = await read(`${query}${cursor === '' ? '' : `&cursor=${cursor}`}`);
    expect(answer.statusCode).toBe(200);
    seen.push(...amountsOf(answer));
    cursor = pageOf(answer).next_cursor;
  }
  return seen;
}

describe('GET /v1/spends', () => {
  it('lists pending and settled spends to the agent and to the owner, newest first', async () => {
    const s = await openSession(t);
    const [confirmed] = await accept(s, 1);
    await settleQueued(t, s.walletId);
    const [rejected] = await accept(s, 2);
    await settleQueued(t, s.walletId, { code: 'RecipientNotAllowed', detail: 'not allowed' });
    const [pending] = await accept(s, 3);
    const mine = await s.call('/v1/spends');
    expect(pageOf(mine)).toMatchObject({
      items: [
        { spend_id: pending, status: 'pending', tx_signature: null, settled_at: null },
        {
          spend_id: rejected,
          status: 'rejected',
          error: 'on-chain submission failed',
          code: 'RecipientNotAllowed',
          detail: 'not allowed',
        },
        { spend_id: confirmed, status: 'confirmed', error: null, session_id: s.sessionId },
      ],
      next_cursor: null,
    });
    expect((await s.owner.call('GET', '/v1/spends')).json()).toEqual(mine.json());
  });

  it('says of a spend what GET /v1/spend/:id says', async () => {
    const s = await openSession(t);
    const [id] = await accept(s, 5);
    const {
      payment_proof_header: _,
      upstream: __,
      ...one
    } = (await s.call(`/v1/spend/${id}`)).json<Record<string, unknown>>();
    expect(pageOf(await s.call('/v1/spends')).items).toEqual([{ ...one, session_id: s.sessionId }]);
  });

  it('pages without gaps or repeats, also over spends accepted at the same time', async () => {
    const s = await openSession(t);
    const ids = await accept(s, 1, 2, 3, 4, 5, 6, 7);
    for (const id of ids.slice(2, 6)) await acceptedAt(id, '2026-01-01T00:00:00.123456Z');
    const expected = [7, 2, 1, 6, 5, 4, 3];
    const asAgent = (query: string) => s.call(`/v1/spends?${query}`);
    const asOwner = (query: string) => s.owner.call('GET', `/v1/spends?${query}`);
    for (const limit of [1, 2, 3, 7]) {
      expect(await readAll(asAgent, `limit=${limit}`)).toEqual(expected);
      expect(await readAll(asOwner, `limit=${limit}`)).toEqual(expected);
    }
  });

  it('shows an agent its own session, and the owner every session of the wallet', async () => {
    const s = await openSession(t);
    const sibling = await addAgent(s);
    await accept(s, 1);
    await t.db.query(sql.unsafe`
      insert into spend (spend_id, wallet_id, session_id, kind, amount, reserved, not_after)
      values (gen_random_uuid(), ${s.walletId}::uuid, ${sibling.sessionId}::uuid,
        'yield_deposit', 2, 0, now())
    `);
    expect(amountsOf(await s.call('/v1/spends'))).toEqual([1]);
    expect(amountsOf(await sibling.call('/v1/spends'))).toEqual([2]);
    const asOwner = async (query: string) =>
      amountsOf(await s.owner.call('GET', `/v1/spends?${query}`));
    expect(await asOwner('')).toEqual([2, 1]);
    expect(await asOwner(`session_id=${s.sessionId}`)).toEqual([1]);
    expect(await asOwner(`session_id=${sibling.sessionId}`)).toEqual([2]);
    // Another session's spends are none of an agent's.
    expect(amountsOf(await s.call(`/v1/spends?session_id=${s.sessionId}`))).toEqual([1]);
    expect(amountsOf(await s.call(`/v1/spends?session_id=${sibling.sessionId}`))).toEqual([]);
  });

  it('filters by status, kind and time', async () => {
    const s = await openSession(t);
    const [first = '', second = ''] = await accept(s, 1, 2);
    await settleQueued(t, s.walletId);
    await accept(s, 3);
    await acceptedAt(first, '2026-01-01T00:00:00Z');
    await acceptedAt(second, '2026-01-02T00:00:00Z');
    const read = async (query: string) => amountsOf(await s.call(`/v1/spends?${query}`));
    expect(await read('status=pending')).toEqual([3]);
    expect(await read('status=confirmed')).toEqual([2, 1]);
    expect(await read('status=rejected')).toEqual([]);
    expect(await read('kind=transfer')).toEqual([3, 2, 1]);
    expect(await read('kind=pay_service')).toEqual([]);
    expect(await read('from=2026-01-02T00:00:00Z')).toEqual([3, 2]);
    expect(await read('to=2026-01-02T00:00:00Z')).toEqual([1]);
    expect(await read('from=1767225600&to=1767312000')).toEqual([1]);
    expect(await read('from=2026-01-01T02:00:00%2B02:00&to=1767312001&status=confirmed')).toEqual([
      2, 1,
    ]);
    expect(await read('from=1767312000&to=1767225600')).toEqual([]);
  });

  it.each([
    'status=open',
    'kind=gift',
    'session_id=1',
    'from=soon',
    'to=1767225600000',
    'limit=201',
  ])('refuses ?%s with 400', async (query) => {
    const s = await openSession(t);
    const text = new RegExp(`^${query.split('=')[0]} must be`);
    expectRefused(await s.call(`/v1/spends?${query}`), 400, text);
    expectRefused(await s.owner.call('GET', `/v1/spends?${query}`), 400, text);
  });

  it("refuses a cursor at another caller's spend like one of no spend", async () => {
    const s = await openSession(t);
    const other = await openSession(t);
    const sibling = await addAgent(s);
    const [id = ''] = await accept(s, 1);
    for (const spendId of [id, '00000000-0000-4000-8000-000000000000']) {
      const cursor = Buffer.from(`s1.${spendId}`).toString('base64url');
      for (const call of [
        other.call(`/v1/spends?cursor=${cursor}`),
        sibling.call(`/v1/spends?cursor=${cursor}`),
        other.owner.call('GET', `/v1/spends?cursor=${cursor}`),
      ]) {
        expectRefused(await call, 400, 'cursor must be a next_cursor of an earlier answer');
      }
    }
    expectRefused(await s.call('/v1/spends?cursor=nonsense'), 400, /^cursor must be/);
  });

  it('is empty for an owner without a wallet, and 401 for nobody', async () => {
    const owner = await signIn(t);
    const empty = { items: [], next_cursor: null };
    expect((await owner.call('GET', '/v1/spends')).json()).toEqual(empty);
    expectRefused(await t.app.inject('/v1/spends'), 401, 'missing session cookie');
  });

  it('takes the cookie before the key, and refuses what either caller’s routes refuse', async () => {
    const s = await openSession(t);
    await accept(s, 1);
    const other = await signIn(t);
    const as = (headers: Record<string, string>) => t.app.inject({ url: '/v1/spends', headers });
    const authorization = `Bearer ${s.apiKey}`;
    expect(amountsOf(await as({ cookie: other.cookie, authorization }))).toEqual([]);
    expectRefused(await as({ cookie: 'svc_session=x', authorization }), 401, 'invalid jwt');
    expectRefused(await as({ authorization: 'Basic x' }), 401, 'missing bearer token');
    expectRefused(await as({ authorization: 'Bearer x' }), 401, 'invalid token format');
    expectRefused(await as({ authorization: 'Bearer svc_dev_x' }), 401, 'invalid api key');
  });

  it('reads its pages in the order of an index', async () => {
    const s = await openSession(t);
    const conditions = [
      sql.fragment`session_id = ${s.sessionId}::uuid`,
      sql.fragment`wallet_id = ${s.walletId}::uuid`,
    ];
    for (const [i, index] of ['spend_of_session', 'spend_of_wallet'].entries()) {
      const plan = await t.db.transaction(async (tx) => {
        await tx.query(sql.unsafe`set local enable_seqscan = off`);
        await tx.query(sql.unsafe`set local enable_sort = off`);
        return tx.anyFirst(sql.unsafe`
          explain select * from spend
          where ${conditions[i] ?? sql.fragment`false`} and created_at >= now() - interval '1 day'
            and (created_at, accepted_no) < (
              select created_at, accepted_no from spend where spend_id = gen_random_uuid())
          order by created_at desc, accepted_no desc limit 51
        `);
      });
      expect(plan.join('\n')).toContain(`Index Scan Backward using ${index}`);
    }
  });
});
