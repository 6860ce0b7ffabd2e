import { sql } from 'slonik';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { useSpendRows } from '../../../../tests/support/database/spend-rows.ts';
import { createCancelSpend } from './cancel-spend.ts';

const SPENDS = 20;

const rows = await useSpendRows();

test('cancellations of one wallet that wait together are one SQL transaction', async () => {
  const session = await rows.createSession();
  const queued = await Promise.all(Array.from({ length: SPENDS }, () => rows.accept(session)));
  const claimed = await rows.accept(session);
  await rows.claim(claimed);
  const cancel = createCancelSpend(rows.db);

  const cancelled = await Promise.all([...queued, claimed].map(cancel));
  expect(cancelled.map((spend) => spend?.spendId)).toEqual([
    ...queued.map(({ spendId }) => spendId),
    undefined,
  ]);
  const denied = await rows.db.any(sql.type(
    z.object({ spendId: z.string(), reason: z.string(), transaction: z.string() }),
  )`
    select spend_id as "spendId", reason, xmin::text as transaction
    from audit where wallet_id = ${session.walletId}::uuid and decision = 'deny'
  `);
  expect(denied.map(({ spendId }) => spendId).toSorted()).toEqual(
    queued.map(({ spendId }) => spendId).toSorted(),
  );
  expect(new Set(denied.map(({ reason }) => reason))).toEqual(new Set(['EXPIRED_UNSENT']));
  expect(new Set(denied.map(({ transaction }) => transaction)).size).toBe(1);
});
