import { expect, test } from 'vitest';
import { holdLane } from '../../../../tests/support/database/lane-rows.ts';
import { useSpendRows } from '../../../../tests/support/database/spend-rows.ts';
import { createMetrics } from '../metrics.ts';
import { createSweepQueued } from './sweep-queued.ts';

const rows = await useSpendRows();

test('a sweep nudges, with its fence, each free lane whose spend has waited', async () => {
  const [waiting, held, idle] = [
    await rows.createSession(),
    await rows.createSession(),
    await rows.createSession(),
  ];
  for (const session of [waiting, held]) await rows.age((await rows.accept(session)).spendId, 5);
  await holdLane(rows.db, held.sessionId);
  const landed = await rows.accept(idle);
  await rows.claim(landed);
  const nudged: unknown[] = [];
  const metrics = createMetrics();
  const sweep = createSweepQueued({
    db: rows.db,
    metrics,
    nudge: async (...nudge) => {
      nudged.push(nudge);
    },
  });
  expect(await sweep()).toBeGreaterThan(0);
  expect(nudged).toEqual([[waiting.walletId, { sessionId: waiting.sessionId, fence: 0n }]]);
  const open = await metrics.openSpends.get();
  expect(open.values).toEqual([
    { labels: { status: 'queued' }, value: 2 },
    { labels: { status: 'in_flight' }, value: 1 },
  ]);
});
