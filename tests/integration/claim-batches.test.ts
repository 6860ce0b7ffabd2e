import {
  cancelQueued,
  type Claimed,
  type ClaimOutcome,
  claimSpends,
  type LaneClaims,
  type Spend,
} from '@agent-wallet/spend';
import { sql } from 'slonik';
import { describe, expect, test } from 'vitest';
import {
  countAttempts,
  endLease,
  holdLane,
  isLaneFree,
  nextSeqOf,
} from '../support/database/lane-rows.ts';
import { signedAttempt } from '../support/database/made-up-spends.ts';
import { expectSpend, type RowSession, useSpendRows } from '../support/database/spend-rows.ts';

const rows = await useSpendRows();

/** Spends of a session whose lane is held, and a claim of all of them under these numbers. */
async function heldBatch(count: number): Promise<{
  session: RowSession;
  spends: readonly Spend[];
  claimAll: (seqs: readonly bigint[], thenRelease?: boolean) => Promise<Claimed | undefined>;
}> {
  const session = await rows.createSession();
  const spends: Spend[] = [];
  for (let index = 0; index < count; index += 1) spends.push(await rows.accept(session));
  const { walletId, sessionId } = session;
  const fence = await holdLane(rows.db, sessionId);
  const claimAll = async (seqs: readonly bigint[], thenRelease = false) => {
    const claims = spends.flatMap((spend, index) => {
      const seq = seqs[index];
      return seq === undefined ? [] : [{ spend, signed: signedAttempt(seq) }];
    });
    const [claimed] = await claimSpends(rows.db, walletId, [
      { sessionId, fence, claims, thenRelease },
    ]);
    return claimed;
  };
  return { session, spends, claimAll };
}

describe('a batch of claims', () => {
  test('is stored whole, and gives the lane back with it', async () => {
    const { session, spends, claimAll } = await heldBatch(3);
    expect(await claimAll([1n, 2n, 3n], true)).toEqual({ count: 3, outcome: 'claimed' });
    for (const [index, spend] of spends.entries()) {
      const spendSeq = BigInt(index + 1);
      await expectSpend(rows, spend, { status: 'in_flight', attempt: 1, spendSeq });
    }
    expect(await countAttempts(rows.db, session)).toBe(3);
    expect(await nextSeqOf(rows.db, session)).toBe(4n);
    expect(await isLaneFree(rows.db, session)).toBe(true);
  });

  type Spoil = (spend: Spend, session: RowSession) => Promise<unknown>;
  test.each<[string, readonly bigint[], ClaimOutcome, Spoil]>([
    ['is cancelled', [1n, 2n, 3n], 'gone', (spend) => cancelQueued(rows.db, spend)],
    ['has landed', [1n, 2n, 3n], 'landed', ({ spendId }, of) => rows.landed(of, spendId)],
    ['skips a number', [1n, 3n, 4n], 'seq_taken', async () => {}],
  ])('stands up to the first spend that %s', async (_case, seqs, outcome, spoil) => {
    const { session, spends, claimAll } = await heldBatch(3);
    const [first, second, third] = spends;
    if (first === undefined || second === undefined || third === undefined) throw new Error();
    await spoil(second, session);
    expect(await claimAll(seqs, true)).toEqual({ count: 1, outcome });
    await expectSpend(rows, first, { status: 'in_flight', spendSeq: 1n });
    await expectSpend(rows, third, { status: 'queued', attempt: 0 });
    expect(await countAttempts(rows.db, session)).toBe(1);
    expect(await nextSeqOf(rows.db, session)).toBe(2n);
    expect(await isLaneFree(rows.db, session)).toBe(false);
  });

  test('adds up the fees of those that stand', async () => {
    const { session, spends, claimAll } = await heldBatch(3);
    const [, , third] = spends;
    if (third !== undefined) await cancelQueued(rows.db, third);
    await claimAll([1n, 2n, 3n]);
    const fees = await rows.db.oneFirst(sql.unsafe`
      select fee_lamports from session where session_id = ${session.sessionId}::uuid
    `);
    expect(fees).toBe(20_000n);
  });

  test('of later and first attempts moves the counter by the first ones', async () => {
    const session = await rows.createSession();
    const again = await rows.spendIn('queued again', session);
    const next = await rows.accept(session);
    const { walletId, sessionId } = session;
    const fence = await holdLane(rows.db, sessionId);
    const claims = [
      { spend: again, signed: signedAttempt(1n) },
      { spend: next, signed: signedAttempt(2n) },
    ];
    const lane = { sessionId, fence, claims, thenRelease: false };
    expect(await claimSpends(rows.db, walletId, [lane])).toEqual([
      { count: 2, outcome: 'claimed' },
    ]);
    expect(await nextSeqOf(rows.db, session)).toBe(3n);
    await expectSpend(rows, again, { attempt: 2, spendSeq: 1n });
    await expectSpend(rows, next, { attempt: 1, spendSeq: 2n });
  });
});

type HeldLane = {
  readonly session: RowSession;
  readonly spends: readonly [Spend, Spend];
  readonly asked: LaneClaims;
};

/** Sessions of one wallet with two queued spends and a held lane each, and the claims of both. */
async function heldLanes(count: number) {
  const { walletId } = await rows.createSession();
  const lanes: HeldLane[] = [];
  while (lanes.length < count) {
    const session = await rows.createSession(walletId);
    const { sessionId } = session;
    const spends = [await rows.accept(session), await rows.accept(session)] as const;
    const claims = spends.map((spend, place) => ({
      spend,
      signed: signedAttempt(BigInt(place + 1)),
    }));
    const fence = await holdLane(rows.db, sessionId);
    lanes.push({ session, spends, asked: { sessionId, fence, claims, thenRelease: true } });
  }
  const claimAll = () =>
    claimSpends(
      rows.db,
      walletId,
      lanes.map(({ asked }) => asked),
    );
  return { lanes, claimAll };
}

describe('lanes that are claimed together', () => {
  test('have outcomes of their own, and only those without a refusal are given back', async () => {
    const { lanes, claimAll } = await heldLanes(4);
    const [, cancelled, lost, counted] = lanes;
    if (cancelled === undefined || lost === undefined || counted === undefined) throw new Error();
    await cancelQueued(rows.db, cancelled.spends[1]);
    await endLease(rows.db, lost.session);
    await holdLane(rows.db, lost.session.sessionId);
    await rows.setSession(counted.session.sessionId, sql.fragment`next_seq = 7`);
    expect(await claimAll()).toEqual([
      { count: 2, outcome: 'claimed' },
      { count: 1, outcome: 'gone' },
      { count: 0, outcome: 'lost_lease' },
      { count: 0, outcome: 'seq_taken' },
    ]);
    const sessions = lanes.map(({ session }) => session);
    expect(await Promise.all(sessions.map((session) => isLaneFree(rows.db, session)))).toEqual([
      true,
      false,
      false,
      false,
    ]);
    expect(await Promise.all(sessions.map((session) => nextSeqOf(rows.db, session)))).toEqual([
      3n,
      2n,
      1n,
      7n,
    ]);
    const attempts = sessions.map((session) => countAttempts(rows.db, session));
    expect(await Promise.all(attempts)).toEqual([2, 1, 0, 0]);
  });

  test('of one session, under an old and the present fence: the old one claims nothing', async () => {
    const { lanes } = await heldLanes(1);
    const [lane] = lanes;
    if (lane === undefined) throw new Error();
    const { session, asked } = lane;
    const [first, second] = asked.claims;
    if (first === undefined || second === undefined) throw new Error();
    await endLease(rows.db, session);
    const fence = await holdLane(rows.db, session.sessionId);
    const both = [
      { ...asked, claims: [first] },
      { ...asked, fence, claims: [{ ...second, signed: signedAttempt(1n) }] },
    ];
    expect(await claimSpends(rows.db, session.walletId, both)).toEqual([
      { count: 0, outcome: 'lost_lease' },
      { count: 1, outcome: 'claimed' },
    ]);
    await expectSpend(rows, first.spend, { status: 'queued', attempt: 0 });
  });
});
