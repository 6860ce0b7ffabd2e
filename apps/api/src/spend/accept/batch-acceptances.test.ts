import type { NewDelivery, NewSpend } from '@agent-wallet/spend';
import { sql } from 'slonik';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { requestedTransfer } from '../../../../../tests/support/database/made-up-spends.ts';
import { type RowSession, useSpendRows } from '../../../../../tests/support/database/spend-rows.ts';
import { createAcceptSpend } from './batch-acceptances.ts';

const rows = await useSpendRows();

/** Accepts requests of two sessions of one wallet at the same time. */
async function acceptTogether(requests: readonly Partial<NewSpend>[]) {
  const acceptSpend = createAcceptSpend(rows.db);
  const first = await rows.createSession();
  const sessions: readonly RowSession[] = [first, await rows.createSession(first.walletId)];
  const results = await Promise.allSettled(
    requests.map((request, place) =>
      acceptSpend(requestedTransfer(sessions[place % 2] ?? first, request)),
    ),
  );
  return { walletId: first.walletId, results };
}

/** The spends of a wallet, and the commits that made them. */
async function commitsOf(walletId: string) {
  return rows.db.one(sql.type(z.object({ spends: z.number(), count: z.number() }))`
    select count(*)::int as spends, count(distinct xmin::text)::int as count from spend
    where wallet_id = ${walletId}::uuid
  `);
}

test('spends of a wallet that are requested together are one commit', async () => {
  const balance = { amount: 250n, slot: 1n };
  const { walletId, results } = await acceptTogether([{ balance }, { balance }, { balance }]);
  expect(results).toMatchObject([
    { value: { kind: 'accepted' } },
    { value: { kind: 'accepted' } },
    { value: { kind: 'insufficient', liquid: 250n, reserved: 200n } },
  ]);
  expect(await commitsOf(walletId)).toEqual({ spends: 2, count: 1 });
});

test('a request that the database refuses fails alone', async () => {
  const refused = { amount: 0n, reserved: 0n };
  const { results } = await acceptTogether([{}, refused, {}]);
  expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
});

test('requests under one key that come together are one spend, or refused where they differ', async () => {
  const keyed = { idempotencyKey: 'key', requestDigest: Buffer.alloc(32, 1) };
  const other = { ...keyed, requestDigest: Buffer.alloc(32, 2) };
  const { walletId, results } = await acceptTogether([keyed, {}, keyed, keyed, other]);
  expect(results).toMatchObject([
    { value: { kind: 'accepted' } },
    { value: { kind: 'accepted' } },
    { value: { kind: 'existing' } },
    // The other session's key.
    { value: { kind: 'accepted' } },
    { value: { kind: 'key_reused' } },
  ]);
  expect(await commitsOf(walletId)).toEqual({ spends: 3, count: 1 });
});

test('the bound of a session counts the spends of the same commit', async () => {
  const pendingLimits = { session: 1, wallet: 10 };
  const { results } = await acceptTogether([
    { pendingLimits },
    { pendingLimits },
    { pendingLimits },
  ]);
  expect(results).toMatchObject([
    { value: { kind: 'accepted' } },
    { value: { kind: 'accepted' } },
    { value: { kind: 'too_many_pending' } },
  ]);
});

test('a delivery is bought with the spend of its own request', async () => {
  const delivery: NewDelivery = {
    slug: 'weather',
    proof: 'x-payment-proof',
    method: 'POST',
    url: 'https://example.com/',
    headers: {},
    body: Buffer.from('bought'),
    requirement: '{}',
    resource: null,
  };
  const { results } = await acceptTogether([{}, { amount: 7n, reserved: 7n, delivery }, {}]);
  expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'fulfilled']);
  const bought = z.object({ amount: z.bigint(), body: z.instanceof(Buffer) });
  expect(
    await rows.db.any(
      sql.type(bought)`select amount, body from delivery join spend using (spend_id)`,
    ),
  ).toEqual([{ amount: 7n, body: Buffer.from('bought') }]);
});
