import {
  cancelQueued,
  type ClaimOutcome,
  listIdleLanes,
  nextRetryId,
  type QueuedSpend,
  raiseBroadcasts,
  readLane,
  refuseUnbroadcast,
  rejectQueued,
  releaseLease,
  type Spend,
  openLanes,
} from '@agent-wallet/spend';
import { Client } from 'pg';
import { sql } from 'slonik';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import {
  claimSpend,
  countAttempts,
  endLease,
  holdLane,
  isLaneFree,
  nextSeqOf,
} from '../support/database/lane-rows.ts';
import { signedAttempt } from '../support/database/made-up-spends.ts';
import { expectSpend, type RowSession, useSpendRows } from '../support/database/spend-rows.ts';

const rows = await useSpendRows();

async function queuedOf({ sessionId }: RowSession): Promise<readonly QueuedSpend[]> {
  return (await readLane(rows.db, sessionId, 9))?.queued ?? [];
}

/** Takes the free lanes of the session's wallet. */
function open({ walletId }: RowSession, part: { most?: number; after?: bigint } = {}) {
  const lease = { holder: 'another', leaseMs: 10_000, most: 100, after: 0n, limit: 1 };
  return openLanes(rows.db, { walletId, ...lease, ...part });
}

async function held(): Promise<{ session: RowSession; spend: Spend; fence: bigint }> {
  const session = await rows.createSession();
  const spend = await rows.accept(session);
  return { session, spend, fence: await holdLane(rows.db, session.sessionId) };
}

/** Claims a spend with made-up bytes under the first sequence number. */
const claim = (spend: Spend, fence: bigint, spendSeq = 1n): Promise<ClaimOutcome> =>
  claimSpend(rows.db, { spend, fence, signed: signedAttempt(spendSeq) });

async function expectUntouched(session: RowSession, spend: Spend): Promise<void> {
  expect(await rows.read(spend.spendId)).toEqual(spend);
  expect(await countAttempts(rows.db, session)).toBe(0);
  expect(await nextSeqOf(rows.db, session)).toBe(1n);
  expect(await rows.auditOf(spend.spendId)).toEqual([]);
}

test('no index and no condition of one names a column that a claim sets', async () => {
  const indexes = await rows.db.anyFirst(sql.type(z.object({ definition: z.string() }))`
    select pg_get_indexdef(indexrelid) as definition from pg_index
    where indrelid = 'spend'::regclass
  `);
  const set = /\b(status|attempt|broadcasts|spend_seq|tx_signature|claimed_at)\b/;
  expect(indexes.filter((definition) => set.test(definition))).toEqual([]);
});

test('two spends of a session are never claimed under one number', async () => {
  const session = await rows.createSession();
  const [first, second] = [await rows.accept(session), await rows.accept(session)];
  await rows.claim(first);
  await rows.setSession(session.sessionId, sql.fragment`next_seq = 1`);
  const fence = await holdLane(rows.db, session.sessionId);
  await expect(claim(second, fence)).rejects.toThrow('unique integrity constraint');
  expect(await rows.read(second.spendId)).toEqual(second);
});

test('a spend is not signed under a policy that has been replaced', async () => {
  const { session, spend, fence } = await held();
  await rows.db.query(sql.unsafe`
    insert into wallet_policy (wallet_id, version) values (${session.walletId}::uuid, 1)
  `);
  const signed = signedAttempt(1n);
  expect(await claimSpend(rows.db, { spend, fence, signed })).toBe('policy_changed');
  await expectUntouched(session, spend);
  const renewed = { ...signed, policyVersion: 1 };
  expect(await claimSpend(rows.db, { spend, fence, signed: renewed })).toBe('claimed');
});

test.each<[string, (spendId: string) => string, ClaimOutcome]>([
  ['whose landing the chain already shows', (id) => id, 'landed'],
  ['whose key paid for a later request that a restore lost', nextRetryId, 'paid_before'],
])('a spend %s is not signed', async (_case, landedId, outcome) => {
  const { session, spend, fence } = await held();
  await rows.landed(session, landedId(spend.spendId));
  expect(await claim(spend, fence)).toBe(outcome);
  await expectUntouched(session, spend);
});

test.each<[string, (spendId: string) => string]>([
  ['its id', (id) => id],
  ['an id of its key', nextRetryId],
])('a spend is signed although a stranger has emitted %s', async (_case, emittedId) => {
  const { session, spend, fence } = await held();
  await rows.landed(await rows.createSession(), emittedId(spend.spendId));
  await rows.landed(await rows.createSession(session.walletId), emittedId(spend.spendId));
  expect(await claim(spend, fence)).toBe('claimed');
});

test('a claim does not wait for a locked wallet, at the first attempt or later', async () => {
  const session = await rows.createSession();
  const again = await rows.spendIn('queued again', session);
  const next = await rows.accept(session);
  const fence = await holdLane(rows.db, session.sessionId);
  const holder = new Client({ connectionString: rows.url });
  await holder.connect();
  try {
    await holder.query('begin');
    await holder.query('select 1 from wallet where wallet_id = $1 for update', [session.walletId]);
    expect(await claim(again, fence)).toBe('claimed');
    expect(await claim(next, fence, 2n)).toBe('claimed');
  } finally {
    await holder.end();
  }
});

/** Expects a holder to be able neither to claim nor to refuse the spend. */
async function expectLost(session: RowSession, spend: Spend, fence: bigint): Promise<void> {
  expect(await claim(spend, fence)).toBe('lost_lease');
  const refusal = { spend, fence, code: 'INTERNAL', detail: 'late' };
  expect(await rejectQueued(rows.db, refusal)).toBeNull();
  await expectUntouched(session, spend);
}

describe('the fence of a lane', () => {
  test('a lane has one holder, and a higher fence with each', async () => {
    const { session, fence } = await held();
    expect(await open(session)).toEqual([]);
    await releaseLease(rows.db, { sessionId: session.sessionId, fence });
    expect(await open(session)).toMatchObject([{ fence: fence + 1n }]);
  });

  test('of twenty who reach for a free lane one gets it', async () => {
    const session = await rows.createSession();
    await rows.accept(session);
    const opened = await Promise.all(Array.from({ length: 20 }, () => open(session)));
    expect(opened.flat()).toMatchObject([{ fence: 1n }]);
  });

  test('the lanes of a wallet are opened in parts, the longest wait first', async () => {
    const first = await rows.createSession();
    const second = await rows.createSession(first.walletId);
    await rows.accept(second);
    await rows.accept(first);
    await rows.accept(second);
    const [opened] = await open(first, { most: 1 });
    expect(opened?.lane.sessionId).toBe(second.sessionId);
    const others = await open(first, { after: opened?.waitsFrom ?? 0n });
    expect(others).toMatchObject([{ lane: { sessionId: first.sessionId }, fence: 1n }]);
  });

  test('a lane without a queued spend is left alone', async () => {
    const session = await rows.createSession();
    await rows.spendIn('in flight', session);
    expect(await open(session)).toEqual([]);
    expect(await isLaneFree(rows.db, session)).toBe(true);
  });

  test('a holder that was replaced claims, refuses and releases nothing', async () => {
    const { session, spend, fence } = await held();
    await endLease(rows.db, session);
    const newer = await holdLane(rows.db, session.sessionId);
    await expectLost(session, spend, fence);
    await releaseLease(rows.db, { sessionId: session.sessionId, fence });
    expect(await claim(spend, newer)).toBe('claimed');
  });

  test('a holder whose lease has ended claims and refuses nothing, even unreplaced', async () => {
    const { session, spend, fence } = await held();
    await endLease(rows.db, session);
    await expectLost(session, spend, fence);
  });

  test('a later attempt checks the fence as well', async () => {
    const { session, spend, fence } = await held();
    await claim(spend, fence);
    await rows.settle(spend, { kind: 'expired' });
    await endLease(rows.db, session);
    const again = await rows.read(spend.spendId);
    expect(await claim(again, fence)).toBe('lost_lease');
    expect(await rows.read(spend.spendId)).toEqual(again);
  });
});

describe('sequence numbers', () => {
  test('of two claims of one number one wins, and the other row stays queued', async () => {
    const session = await rows.createSession();
    const spends = [await rows.accept(session), await rows.accept(session)];
    const fence = await holdLane(rows.db, session.sessionId);
    const outcomes = await Promise.all(spends.map((spend) => claim(spend, fence)));
    expect(outcomes.toSorted()).toEqual(['claimed', 'seq_taken']);
    expect(await countAttempts(rows.db, session)).toBe(1);
    expect(await nextSeqOf(rows.db, session)).toBe(2n);
    expect((await queuedOf(session)).length).toBe(1);
  });

  test('of two claims of one spend one wins', async () => {
    const { session, spend, fence } = await held();
    const outcomes = await Promise.all([claim(spend, fence), claim(spend, fence)]);
    expect(outcomes.filter((outcome) => outcome === 'claimed')).toHaveLength(1);
    expect(await countAttempts(rows.db, session)).toBe(1);
  });

  test('a later attempt keeps its number and leaves the counter alone', async () => {
    const session = await rows.createSession();
    const first = await rows.accept(session);
    const second = await rows.accept(session);
    await rows.claim(first);
    await rows.claim(second);
    await rows.settle(first, { kind: 'expired' });
    expect(await nextSeqOf(rows.db, session)).toBe(3n);
    await rows.claim(first);
    expect(await nextSeqOf(rows.db, session)).toBe(3n);
    await expectSpend(rows, first, { attempt: 2, spendSeq: 1n });
    await expectSpend(rows, second, { attempt: 1, spendSeq: 2n });
  });

  test('a claim that is refused for its row gives its number back', async () => {
    const { session, spend, fence } = await held();
    await cancelQueued(rows.db, spend);
    expect(await claim(spend, fence)).toBe('gone');
    expect(await nextSeqOf(rows.db, session)).toBe(1n);
    expect(await countAttempts(rows.db, session)).toBe(0);
  });

  test('the first claim must be in time, a later one need not', async () => {
    const session = await rows.createSession();
    const late = await rows.accept(session, { notAfterMs: 0 });
    const { spendId } = await rows.spendIn('queued again', session);
    await rows.setSpend(spendId, sql.fragment`not_after = now()`);
    const fence = await holdLane(rows.db, session.sessionId);
    expect(await claim(late, fence, 2n)).toBe('gone');
    expect(await claim(await rows.read(spendId), fence)).toBe('claimed');
    const queued = await queuedOf(session);
    expect(queued).toMatchObject([{ spendId: late.spendId, overdue: true }]);
  });
});

describe('a refusal in preflight and a re-send meet on one row', () => {
  const refusal = { attempt: 1, code: 'MaxPerTxExceeded', detail: 'the program said no' };

  test('after the bytes were counted as broadcast, nothing refuses the spend', async () => {
    const spend = await rows.spendIn('in flight');
    expect(await raiseBroadcasts(rows.db, { spendId: spend.spendId, attempt: 1 })).not.toBeNull();
    expect(await refuseUnbroadcast(rows.db, { spend, ...refusal })).toBeNull();
    await expectSpend(rows, spend, { status: 'in_flight', broadcasts: 1 });
  });

  test('after the refusal, the bytes are not sent again', async () => {
    const spend = await rows.spendIn('in flight');
    expect(await refuseUnbroadcast(rows.db, { spend, ...refusal })).not.toBeNull();
    expect(await raiseBroadcasts(rows.db, { spendId: spend.spendId, attempt: 1 })).toBeNull();
  });

  test('at the same time exactly one of them wins, thirty times over', async () => {
    const session = await rows.createSession();
    for (let round = 0; round < 30; round += 1) {
      const spend = await rows.spendIn('in flight', session);
      const [refused, raised] = await Promise.all([
        refuseUnbroadcast(rows.db, { spend, ...refusal }),
        raiseBroadcasts(rows.db, { spendId: spend.spendId, attempt: 1 }),
      ]);
      expect(refused === null).toBe(raised !== null);
    }
  });

  test('neither speaks for an older attempt', async () => {
    const spend = await rows.spendIn('in flight, second attempt');
    expect(await refuseUnbroadcast(rows.db, { spend, ...refusal })).toBeNull();
    expect(await raiseBroadcasts(rows.db, { spendId: spend.spendId, attempt: 1 })).toBeNull();
  });

  test('refused bytes stay watched until the chain has decided', async () => {
    const spend = await rows.spendIn('refused in preflight');
    const states = await rows.db.anyFirst(sql.type(z.object({ state: z.string() }))`
      select state from attempt where spend_id = ${spend.spendId}::uuid
    `);
    expect(states).toEqual(['watching']);
  });
});

test('a cancel and a claim of one spend: exactly one of them wins', async () => {
  const session = await rows.createSession();
  for (let round = 0; round < 20; round += 1) {
    const spend = await rows.accept(session);
    const fence = await holdLane(rows.db, session.sessionId);
    const nextSeq = (await nextSeqOf(rows.db, session)) ?? 0n;
    const [cancelled, claimed] = await Promise.all([
      cancelQueued(rows.db, spend),
      claim(spend, fence, nextSeq),
    ]);
    expect([cancelled === null, claimed]).toEqual(
      cancelled === null ? [true, 'claimed'] : [false, 'gone'],
    );
    await releaseLease(rows.db, { sessionId: session.sessionId, fence });
  }
});

test('a session is drained in the order of acceptance, a spend signed again comes first', async () => {
  const session = await rows.createSession();
  const first = await rows.accept(session);
  const spends = [first];
  for (let index = 0; index < 4; index += 1) spends.push(await rows.accept(session));
  await rows.claim(first);
  await rows.settle(first, { kind: 'expired' });
  const queued = await queuedOf(session);
  expect(queued.map(({ spendId }) => spendId)).toEqual(spends.map(({ spendId }) => spendId));
});

test('a lane is idle when it is free and a spend has waited too long', async () => {
  const waiting = await rows.createSession();
  const taken = await rows.createSession();
  const fresh = await rows.createSession();
  for (const session of [waiting, taken]) await rows.age((await rows.accept(session)).spendId, 5);
  await rows.accept(fresh);
  await holdLane(rows.db, taken.sessionId);
  const lanes = await listIdleLanes(rows.db, { waitedMs: 4_000, limit: 100 });
  const seen = lanes.map(({ sessionId }) => sessionId);
  expect(seen).toContain(waiting.sessionId);
  expect(seen).not.toContain(taken.sessionId);
  expect(seen).not.toContain(fresh.sessionId);
});
