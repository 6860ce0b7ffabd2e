import { sql } from 'slonik';
import { afterEach, expect, test, vi } from 'vitest';
import { z } from 'zod';
import { useSpendRows } from '../../../../../tests/support/database/spend-rows.ts';
import { awaitOutcome } from './await-outcome.ts';
import { createCancelSpend } from './cancel-spend.ts';

const SPENDS = 20;

const rows = await useSpendRows();

afterEach(() => {
  vi.useRealTimers();
});

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

test('a cancellation that the database refuses fails alone', async () => {
  const session = await rows.createSession();
  const [refused, other] = [await rows.accept(session), await rows.accept(session)];
  await rows.blockDecision(refused);
  const cancel = createCancelSpend(rows.db);
  expect(await Promise.allSettled([cancel(refused), cancel(other)])).toMatchObject([
    { status: 'rejected' },
    { status: 'fulfilled', value: { spendId: other.spendId, status: 'rejected' } },
  ]);
});

test('a response does not wait for a cancellation that takes long: its spend is pending', async () => {
  const queued = await rows.accept(await rows.createSession());
  const faults: unknown[] = [];
  vi.useFakeTimers();
  const answered = awaitOutcome(
    {
      db: rows.db,
      waiter: { awaitAny: async () => [queued], notified: () => undefined },
      cancelSpend: () => Promise.withResolvers<null>().promise,
      onFault: (fault) => faults.push(fault),
    },
    { waitMs: 1_000, cancelUnclaimed: true },
    queued,
  );
  await vi.advanceTimersByTimeAsync(5_000);
  expect(await answered).toEqual(queued);
  expect(faults).toEqual([new Error(`no last look at spend ${queued.spendId} within 5000 ms`)]);
});
