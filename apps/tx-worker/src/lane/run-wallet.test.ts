import { AppError } from '@agent-wallet/errors';
import type { Spend } from '@agent-wallet/spend';
import { BrokenCircuitError } from 'cockatiel';
import { sql } from 'slonik';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { holdLane, isLaneFree } from '../../../../tests/support/database/lane-rows.ts';
import {
  expectSpend,
  type RowSession,
  useSpendRows,
} from '../../../../tests/support/database/spend-rows.ts';
import {
  idsOf,
  neverPrepare,
  prepareAny,
  queueMany,
  roomy,
  startLanes,
} from '../../fixtures/lanes.ts';

const rows = await useSpendRows();

type Queued = { readonly session: RowSession; readonly spend: Spend };

/** Sessions of a new wallet, each with one queued spend. */
async function queueIn(count: number): Promise<[Queued, ...Queued[]]> {
  const first = await rows.createSession();
  const queued: [Queued, ...Queued[]] = [{ session: first, spend: await rows.accept(first) }];
  while (queued.length < count) {
    const session = await rows.createSession(first.walletId);
    queued.push({ session, spend: await rows.accept(session) });
  }
  return queued;
}

const spendsOf = (queued: readonly Queued[]): readonly string[] =>
  idsOf(queued.map(({ spend }) => spend)).toSorted();

async function expectAllFree(queued: readonly Queued[]): Promise<void> {
  for (const { session } of queued) expect(await isLaneFree(rows.db, session)).toBe(true);
}

test('the lanes of a wallet are claimed in one SQL transaction', async () => {
  const queued = await queueIn(3);
  const [{ session }] = queued;
  const lanes = startLanes(rows);
  await lanes.run(session);
  expect(lanes.sent.toSorted()).toEqual(spendsOf(queued));
  const commits = await rows.db.oneFirst(sql.type(z.object({ count: z.number() }))`
    select count(distinct xmin::text)::int as count from attempt
    where wallet_id = ${session.walletId}::uuid
  `);
  expect(commits).toBe(1);
  await expectAllFree(queued);
});

test('more lanes than are opened at once have their turn in the same run', async () => {
  const queued = await queueIn(66);
  const lanes = startLanes(rows);
  await lanes.run(queued[0].session);
  expect(lanes.sent.toSorted()).toEqual(spendsOf(queued));
  expect(lanes.nudged).toEqual([]);
});

test('a lane that has more to claim is run again, also when others came after it', async () => {
  const { session } = await queueMany(rows, 97);
  for (let others = 0; others < 64; others += 1) {
    await rows.accept(await rows.createSession(session.walletId));
  }
  const lanes = startLanes(rows, { depth: 100 });
  await lanes.run(session);
  expect(lanes.sent).toHaveLength(96 + 64);
  expect(lanes.nudged).toEqual([session.walletId]);
});

test('a lane that another worker holds is left out, and found by a later run', async () => {
  const [held, free] = await queueIn(2);
  await holdLane(rows.db, held.session.sessionId);
  const lanes = startLanes(rows);
  await lanes.run(held.session);
  expect(lanes.sent).toEqual([free?.spend.spendId]);
  await rows.setLane(held.session.sessionId, sql.fragment`lease_until = '-infinity'`);
  await lanes.run(held.session);
  expect(lanes.sent).toEqual([free?.spend.spendId, held.spend.spendId]);
});

test('a lane that fails harms no other', async () => {
  const queued = await queueIn(3);
  const [failing, ...others] = queued;
  const lanes = startLanes(rows, {
    detectRestore: async ({ sessionId }) => {
      if (sessionId === failing.session.sessionId) throw new Error('for the test');
      return false;
    },
  });
  await lanes.run(failing.session);
  expect(lanes.sent.toSorted()).toEqual(spendsOf(others));
  expect(await lanes.faults()).toEqual({ run: 1 });
  await expectAllFree(queued);
});

test('a spend that cannot be stored harms no other lane', async () => {
  const queued = await queueIn(3);
  const [tooLong, ...others] = queued;
  const lanes = startLanes(rows, {
    prepare: async (read, spend) => {
      const prepared = await prepareAny(read, spend);
      if (spend.spendId !== tooLong.spend.spendId || prepared.kind !== 'signed') return prepared;
      return { ...prepared, signed: { ...prepared.signed, wire: new Uint8Array(1_233) } };
    },
  });
  await lanes.run(tooLong.session);
  expect(lanes.sent.toSorted()).toEqual(spendsOf(others));
  await expectSpend(rows, tooLong.spend, { status: 'queued', attempt: 0 });
  await expectAllFree(queued);
});

test('a slow lane is not waited for, and nudges its wallet when it ends', async () => {
  const [slow, other] = await queueIn(2);
  const signed = Promise.withResolvers<void>();
  const lanes = startLanes(rows, {
    prepare: async (read, spend) => {
      if (spend.spendId === slow.spend.spendId) await signed.promise;
      return prepareAny(read, spend);
    },
  });
  const { rest } = await lanes.begin(slow.session);
  expect(lanes.sent).toEqual([other?.spend.spendId]);
  expect(lanes.nudged).toEqual([]);
  signed.resolve();
  await rest;
  expect(lanes.sent).toEqual([other?.spend.spendId, slow.spend.spendId]);
  expect(lanes.nudged).toEqual([slow.session.walletId]);
});

test.each([
  ['all calls to the chain fail at once', new BrokenCircuitError(), 1],
  ['one call to the chain is lost', new TypeError('fetch failed'), 0],
])(
  'when %s, a worker pauses before its next lanes only if others would fail',
  async (_case, cause, pauses) => {
    const [{ session, spend }] = await queueIn(1);
    let reads = 0;
    const lanes = startLanes(rows, {
      readChainView: async () => {
        reads += 1;
        if (reads === 1) throw new AppError('RPC_UNAVAILABLE', {}, { cause });
        return roomy;
      },
    });
    await lanes.run(session);
    expect(lanes.paused).toEqual([]);
    await lanes.run(session);
    expect(lanes.paused).toHaveLength(pauses);
    expect(lanes.sent).toEqual([spend.spendId]);
  },
);

test('a wallet without queued spends is left alone', async () => {
  const session = await rows.createSession();
  const lanes = startLanes(rows, { prepare: neverPrepare });
  await lanes.run(session);
  expect(lanes.nudged).toEqual([]);
});
