import type { Spend } from '@agent-wallet/spend';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { createOutcomeWaiter } from './await-outcome.ts';

const spend = (spendId: string, status: Spend['status']): Spend => ({
  spendId,
  walletId: 'w',
  sessionId: 's',
  kind: 'transfer',
  amount: 1n,
  reserved: 1n,
  recipient: 'r',
  url: null,
  status,
  spendSeq: null,
  attempt: 0,
  broadcasts: 0,
  broadcaster: 'worker',
  facilitatorFeePayer: null,
  facilitatorMemo: null,
  releasedAt: null,
  txSignature: null,
  landedSlot: null,
  code: null,
  detail: null,
  notAfter: new Date(0),
  createdAt: new Date(0),
  claimedAt: null,
  settledAt: null,
  finalizedAt: null,
});

function start() {
  const rows = new Map<string, Spend>();
  const queries: string[][] = [];
  const faults: unknown[] = [];
  let isAway = false;
  const waiter = createOutcomeWaiter({
    findSpends: async (ids) => {
      queries.push([...ids]);
      if (isAway) throw new Error('database away');
      return ids.flatMap((id) => rows.get(id) ?? []);
    },
    onFault: (error) => faults.push(error),
  });
  const put = (id: string, status: Spend['status']) => rows.set(id, spend(id, status));
  return { waiter, put, queries, faults, goAway: (away: boolean) => (isAway = away) };
}

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

it('reads all awaited spends once per interval, and nothing while no request waits', async () => {
  const { waiter, put, queries } = start();
  put('a', 'queued');
  put('b', 'in_flight');
  const both = Promise.all([waiter.awaitAny(['a'], 1_000), waiter.awaitAny(['b'], 1_000)]);
  await vi.advanceTimersByTimeAsync(250);
  expect(queries).toEqual([['a', 'b']]);
  put('a', 'confirmed');
  put('b', 'rejected');
  await vi.advanceTimersByTimeAsync(250);
  const statuses = (await both).map(([one]) => one?.status);
  expect(statuses).toEqual(['confirmed', 'rejected']);
  await vi.advanceTimersByTimeAsync(5_000);
  expect(queries).toHaveLength(2);
  expect(vi.getTimerCount()).toBe(0);
});

it('looks at once when it is told of an awaited spend, and not for others', async () => {
  const { waiter, put, queries } = start();
  put('a', 'confirmed');
  const waiting = waiter.awaitAny(['a'], 1_000);
  const other = waiter.awaitAny(['b'], 1_000);
  waiter.notified('["zzz"]');
  waiter.notified('not JSON');
  await vi.advanceTimersByTimeAsync(0);
  expect(queries).toHaveLength(0);
  waiter.notified('["zzz","a"]');
  expect((await waiting)[0]?.status).toBe('confirmed');
  expect(queries).toEqual([['a']]);
  await vi.advanceTimersByTimeAsync(1_000);
  await other;
});

it('makes one query of the notifications that come together', async () => {
  const { waiter, put, queries } = start();
  for (const id of ['a', 'b', 'c']) put(id, 'confirmed');
  const waiting = ['a', 'b', 'c'].map((id) => waiter.awaitAny([id], 1_000));
  waiter.notified('["a"]');
  waiter.notified('["b","c"]');
  await Promise.all(waiting);
  expect(queries).toEqual([['a', 'b', 'c']]);
});

it('reads less often while notifications come, and as before when they stay away', async () => {
  const { waiter, put, queries } = start();
  put('a', 'in_flight');
  const waiting = waiter.awaitAny(['a'], 20_000);
  await vi.advanceTimersByTimeAsync(250);
  for (let second = 0; second < 4; second += 1) {
    waiter.notified('["of another process"]');
    await vi.advanceTimersByTimeAsync(1_000);
  }
  expect(queries).toHaveLength(5);
  await vi.advanceTimersByTimeAsync(5_000);
  queries.length = 0;
  await vi.advanceTimersByTimeAsync(1_000);
  expect(queries).toHaveLength(4);
  put('a', 'confirmed');
  await vi.advanceTimersByTimeAsync(250);
  expect((await waiting)[0]?.status).toBe('confirmed');
});

it('ends with what was last seen when the wait is over', async () => {
  const { waiter, put } = start();
  put('a', 'in_flight');
  const waiting = waiter.awaitAny(['a'], 700);
  await vi.advanceTimersByTimeAsync(700);
  expect((await waiting)[0]?.status).toBe('in_flight');
});

it('takes a failed query for no answer and goes on', async () => {
  const { waiter, put, faults, goAway } = start();
  put('a', 'confirmed');
  goAway(true);
  const waiting = waiter.awaitAny(['a'], 5_000);
  await vi.advanceTimersByTimeAsync(600);
  expect(faults).toHaveLength(2);
  goAway(false);
  await vi.advanceTimersByTimeAsync(250);
  expect((await waiting)[0]?.status).toBe('confirmed');
});

it('settles a wait for several as soon as one of them has settled', async () => {
  const { waiter, put } = start();
  put('a', 'queued');
  put('b', 'reverted');
  const waiting = waiter.awaitAny(['a', 'b'], 5_000);
  await vi.advanceTimersByTimeAsync(250);
  expect((await waiting).map((one) => one.spendId)).toEqual(['a', 'b']);
});
