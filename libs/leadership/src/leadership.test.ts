import type { Database } from '@agent-wallet/db';
import { createLogger } from '@agent-wallet/process';
import { Registry } from 'prom-client';
import { afterEach, expect, test } from 'vitest';
import { useTestDatabase } from '../../../tests/support/database/test-database.ts';
import { waitUntil } from '../../../tests/support/wait-until.ts';
import { createLeadership } from './leadership.ts';
import { releaseLeases } from './release-leases.ts';
import { takeLeases } from './take-leases.ts';

const { db } = await useTestDatabase();
const log = createLogger({ name: 'test', level: 'silent' });
let stack = new AsyncDisposableStack();
afterEach(async () => {
  await stack.disposeAsync();
  stack = new AsyncDisposableStack();
});

const LEASE_MS = 60_000;
const take = (holder: string, leaseMs = LEASE_MS, tasks = ['one', 'two']) =>
  takeLeases(db, { tasks, holder, leaseMs });

/** A copy of a process with one task. It renews often, so that the test need not wait. */
function copyOn(database: Database, { leaseMs }: { readonly leaseMs: number }) {
  const registry = new Registry();
  const leadership = createLeadership({
    db: database,
    registry,
    log,
    monotonicMs: () => performance.now(),
    leaseMs,
    renewEveryMs: 20,
  });
  stack.defer(leadership.close);
  const terms: boolean[] = [];
  leadership.lead('task', {
    run: async ({ isNewTerm }) => {
      terms.push(isNewTerm);
      return 5;
    },
    onError: (error) => expect.fail(String(error)),
  });
  const valueOf = async (name: string): Promise<number | undefined> => {
    const { values } = (await registry.getSingleMetric(name)?.get()) ?? { values: [] };
    return values[0]?.value;
  };
  return {
    close: leadership.close,
    terms,
    leads: () => valueOf('agent_wallet_leads'),
    takeovers: () => valueOf('agent_wallet_leader_takeovers_total'),
  };
}

const fences = async (holder: string) =>
  new Map((await take(holder)).map(({ task, fence }) => [task, fence]));

test('a lease has one holder; its fence goes up with each term, not with a renewal', async () => {
  const first = new Map([
    ['one', 1n],
    ['two', 1n],
  ]);
  expect(await fences('a')).toEqual(first);
  expect(await fences('a')).toEqual(first);
  expect(await fences('b')).toEqual(new Map());
  // Only its own holder gives it back.
  await releaseLeases(db, { tasks: ['one', 'two'], holder: 'b' });
  expect(await fences('b')).toEqual(new Map());
  await releaseLeases(db, { tasks: ['one'], holder: 'a' });
  expect(await fences('b')).toEqual(new Map([['one', 2n]]));
});

test('a lease that ran out is taken over; one that was given back is only taken', async () => {
  const tasks = ['three'];
  await take('a', -1, tasks);
  expect(await take('b', -1, tasks)).toEqual([{ task: 'three', fence: 2n, isTakenOver: true }]);
  // Its holder returns after its own lease ran out: a new term as well.
  expect(await take('b', LEASE_MS, tasks)).toEqual([
    { task: 'three', fence: 3n, isTakenOver: false },
  ]);
  await releaseLeases(db, { tasks, holder: 'b' });
  expect(await take('a', LEASE_MS, tasks)).toEqual([
    { task: 'three', fence: 4n, isTakenOver: false },
  ]);
});

test('of two copies one runs the passes, and the other one when the first has stopped', async () => {
  const first = copyOn(db, { leaseMs: LEASE_MS });
  await waitUntil('the first leads', async () => (await first.leads()) === 1);
  const second = copyOn(db, { leaseMs: LEASE_MS });
  await waitUntil('the first ran again', () => first.terms.length > 20);
  expect([second.terms, await second.leads()]).toEqual([[], 0]);
  // Far from the end of the lease: it is given back.
  await first.close();
  await waitUntil('the second leads', () => second.terms.length > 1);
  expect(second.terms.slice(0, 2)).toEqual([true, false]);
  expect([await second.leads(), await second.takeovers()]).toEqual([1, 0]);
});

test('a copy that cannot reach the database loses the task to another one, which counts it', async () => {
  let isCut = false;
  const cut = new Proxy(db, {
    get: (target, name, receiver) => {
      if (isCut) throw new Error('the database is away');
      return Reflect.get(target, name, receiver);
    },
  });
  const first = copyOn(cut, { leaseMs: 300 });
  await waitUntil('the first leads', async () => (await first.leads()) === 1);
  const second = copyOn(db, { leaseMs: 300 });
  isCut = true;
  await waitUntil('the second leads', async () => (await second.leads()) === 1);
  expect(await first.leads()).toBe(0);
  expect(await second.takeovers()).toBe(1);
  const ran = first.terms.length;
  await waitUntil('the second runs', () => second.terms.length > 5);
  expect(first.terms).toHaveLength(ran);
});
