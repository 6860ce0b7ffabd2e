import { setTimeout } from 'node:timers/promises';
import { recordDenials } from '@agent-wallet/audit';
import { describe, expect, it } from 'vitest';
import { openSession } from '../fixtures/open-session.ts';
import { signIn } from '../fixtures/signed-in-owner.ts';
import { expectRefused, useTestApp } from '../fixtures/test-app.ts';

const t = await useTestApp();

const NOBODY = '00000000-0000-4000-8000-000000000000';

describe('GET /v1/audit', () => {
  it('pages newest first without gaps or repeats, and filters', async () => {
    const s = await openSession(t);
    const denials = [1n, 2n, 3n, 4n, 5n, 6n, 7n].map((amount) => ({
      walletId: s.walletId,
      sessionId: s.sessionId,
      action: 'transfer',
      amount,
      recipient: s.recipient,
      recipientOrUrl: s.recipient,
      reason: 'INSUFFICIENT_LIQUID',
      detail: null,
    }));
    await recordDenials(t.db, denials);
    const seen: string[] = [];
    let cursor: string | null = '';
    for (let page = 0; cursor !== null && page < 5; page += 1) {
      const query: string = cursor === '' ? '' : `&cursor=${cursor}`;
      const answer = await s.owner.call('GET', `/v1/audit?limit=3${query}`);
      const body = answer.json<{ items: { amount: string }[]; next_cursor: string | null }>();
      seen.push(...body.items.map((item) => item.amount));
      cursor = body.next_cursor;
    }
    expect(seen).toEqual(['7', '6', '5', '4', '3', '2', '1']);
    const all = (await s.owner.call('GET', '/v1/audit')).json();
    expect(all.next_cursor).toBeNull();
    expect(all.items[0]).toMatchObject({
      wallet_id: s.walletId,
      session_id: s.sessionId,
      action: 'transfer',
      decision: 'deny',
      reason: 'INSUFFICIENT_LIQUID',
      recipient: s.recipient,
      tx_signature: null,
    });
    expect((await s.owner.call('GET', '/v1/audit?decision=allow')).json().items).toEqual([]);
    const filtered = await s.owner.call('GET', `/v1/audit?session_id=${NOBODY}`);
    expect(filtered.json().items).toEqual([]);
  });

  it('begins and ends at the times that it is given', async () => {
    const s = await openSession(t);
    const denial = { sessionId: s.sessionId, action: 'transfer', recipient: null, detail: null };
    const rest = { recipientOrUrl: null, reason: 'INSUFFICIENT_LIQUID', walletId: s.walletId };
    for (const amount of [1n, 2n, 3n]) {
      await recordDenials(t.db, [{ ...denial, ...rest, amount }]);
      await setTimeout(2);
    }
    const read = async (query: string) =>
      (await s.owner.call('GET', `/v1/audit${query}`)).json<{
        items: { amount: string; created_at: string }[];
        next_cursor: string | null;
      }>();
    const amountsOf = async (query: string) => (await read(query)).items.map((row) => row.amount);
    const at = (await read('')).items[1]?.created_at ?? '';
    expect(await amountsOf(`?from=${at}`)).toEqual(['3', '2']);
    expect(await amountsOf(`?to=${at}`)).toEqual(['1']);
    expect(await amountsOf(`?from=${at}&session_id=${s.sessionId}&decision=deny`)).toHaveLength(2);
    expect(await amountsOf('?to=1767225600')).toEqual([]);
    const { next_cursor: cursor } = await read(`?from=${at}&limit=1`);
    expect(await amountsOf(`?from=${at}&limit=1&cursor=${cursor}`)).toEqual(['2']);
  });

  it('pages between times without gaps or repeats, also over rows of one moment', async () => {
    const s = await openSession(t);
    const denial = { sessionId: s.sessionId, action: 'transfer', recipient: null, detail: null };
    const rest = { recipientOrUrl: null, reason: 'INSUFFICIENT_LIQUID', walletId: s.walletId };
    const denials = [1n, 2n, 3n, 4n, 5n].map((amount) => ({ ...denial, ...rest, amount }));
    await recordDenials(t.db, denials);
    const seen: string[] = [];
    let cursor: string | null = '';
    for (let page = 0; cursor !== null && page < 6; page += 1) {
      const query: string = cursor === '' ? '' : `&cursor=${cursor}`;
      const answer = await s.owner.call('GET', `/v1/audit?from=0&limit=2${query}`);
      const body = answer.json<{ items: { amount: string }[]; next_cursor: string | null }>();
      seen.push(...body.items.map((item) => item.amount));
      cursor = body.next_cursor;
    }
    expect(seen).toEqual(['5', '4', '3', '2', '1']);
  });

  it.each([
    'decision=maybe',
    'from=2026-01-01',
    'to=x',
    'limit=0',
    'limit=201',
    'limit=x',
    'cursor=nonsense',
    'session_id=1',
  ])('refuses ?%s with 400', async (query) => {
    const owner = await signIn(t);
    expectRefused(
      await owner.call('GET', `/v1/audit?${query}`),
      400,
      new RegExp(`^${query.split('=')[0]} must be`),
    );
  });

  it("shows nothing of another owner's log", async () => {
    const s = await openSession(t, 1n);
    const other = await signIn(t);
    expect((await other.call('GET', '/v1/audit')).json()).toEqual({ items: [], next_cursor: null });
    expect((await s.owner.call('GET', '/v1/audit')).statusCode).toBe(200);
  });
});
