import type { NewSpend } from '@agent-wallet/spend';
import { sql } from 'slonik';
import { expect, test } from 'vitest';
import { z } from 'zod';
import {
  requestedTransfer,
  type RowSession,
  useSpendRows,
} from '../../../../tests/support/database/spend-rows.ts';
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

test('spends of a wallet that are requested together are one commit', async () => {
  const balance = { amount: 250n, slot: 1n };
  const { walletId, results } = await acceptTogether([{ balance }, { balance }, { balance }]);
  expect(results).toMatchObject([
    { value: { kind: 'accepted' } },
    { value: { kind: 'accepted' } },
    { value: { kind: 'insufficient', liquid: 250n, reserved: 200n } },
  ]);
  const commits = await rows.db.one(sql.type(z.object({ spends: z.number(), count: z.number() }))`
    select count(*)::int as spends, count(distinct xmin::text)::int as count from spend
    where wallet_id = ${walletId}::uuid
  `);
  expect(commits).toEqual({ spends: 2, count: 1 });
});

test('a request that the database refuses fails alone', async () => {
  const refused = { amount: 0n, reserved: 0n };
  const { results } = await acceptTogether([{}, refused, {}]);
  expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
});
