/** Payments that a facilitator sends: when their bytes may leave, and what is known of them. */
import {
  acceptSpend,
  leaseAttempts,
  listUnfinalized,
  recordSignature,
  readLane,
  readReleased,
  releaseAttempt,
  type ReleasedAttempt,
  type Spend,
  type WatchedAttempt,
} from '@agent-wallet/spend';
import { sql } from 'slonik';
import { describe, expect, test } from 'vitest';
import { claimSpend, holdLane } from '../support/database/lane-rows.ts';
import {
  requestedTransfer,
  FACILITATED,
  newSignature,
  signedAttempt,
} from '../support/database/made-up-spends.ts';
import { useSpendRows } from '../support/database/spend-rows.ts';
import type { FacilitatedState } from '../support/database/spend-states.ts';

const rows = await useSpendRows();

async function watched({ spendId }: Spend): Promise<WatchedAttempt | undefined> {
  await rows.setWatch(spendId, sql.fragment`watch_until = '-infinity'`);
  const attempts = await leaseAttempts(rows.db, { leaseMs: 1, limit: 1_000 });
  return attempts.find((attempt) => attempt.spendId === spendId);
}

describe('the bytes', () => {
  test('leave first in one hand, of twenty that reach for them', async () => {
    const spend = await rows.accept(await rows.createSession(), FACILITATED);
    const { wire, lastValidBlockHeight } = await rows.claim(spend);
    const hands = await Promise.all(
      Array.from({ length: 20 }, () => releaseAttempt(rows.db, spend.spendId)),
    );
    const given = hands.filter((hand): hand is ReleasedAttempt => hand !== null);
    expect(given).toEqual([{ wire: Buffer.from(wire), lastValidBlockHeight }]);
    expect(await readReleased(rows.db, spend.spendId)).toEqual(given[0]);
  });

  test.each<[FacilitatedState, boolean, boolean]>([
    ['facilitated, queued', false, false],
    ['facilitated, stored', true, false],
    ['facilitated, released', false, true],
    ['facilitated, confirmed', false, false],
    ['facilitated, finalized', false, false],
    ['facilitated, reverted', false, false],
    ['facilitated, not settled', false, false],
    ['facilitated, forked out', false, false],
  ])('%s: first %s, again %s', async (state, first, again) => {
    const { spendId } = await rows.spendIn(state);
    expect((await readReleased(rows.db, spendId)) !== null).toBe(again);
    expect((await releaseAttempt(rows.db, spendId)) !== null).toBe(first);
  });

  test('do not leave while intake is closed', async () => {
    const stored = await rows.spendIn('facilitated, stored');
    const released = await rows.spendIn('facilitated, released');
    await rows.db.query(sql.unsafe`
      insert into deployment (genesis_hash, program_id, usdc_mint, shut_at_height, shut_reason)
      values ('g', 'p', 'm', 1, 'for the test')
    `);
    expect(await releaseAttempt(rows.db, stored.spendId)).toBeNull();
    expect(await readReleased(rows.db, released.spendId)).toBeNull();
    await rows.db.query(sql.unsafe`delete from deployment`);
    expect(await releaseAttempt(rows.db, stored.spendId)).not.toBeNull();
  });

  test('of our own sends are never handed out', async () => {
    const spend = await rows.spendIn('in flight');
    expect(await releaseAttempt(rows.db, spend.spendId)).toBeNull();
    expect(await readReleased(rows.db, spend.spendId)).toBeNull();
  });
});

describe('the signature', () => {
  test('that a service names is a hint, and has the attempt looked at now', async () => {
    const spend = await rows.spendIn('facilitated, released');
    await rows.setWatch(spend.spendId, sql.fragment`look_at = now() + interval '1 hour'`);
    expect(await watched(spend)).toBeUndefined();
    const hint = newSignature();
    expect(await recordSignature(rows.db, spend.spendId, hint)).toBe(true);
    expect(await watched(spend)).toMatchObject({ signature: null, signatureHint: hint });
    expect(await rows.read(spend.spendId)).toEqual(spend);
  });

  test.each([
    ['nothing', ''],
    ['an address', 'bPnk5YbjddraY6VFyhAFS5at5FXNjEtCoDARzTL8jBm'],
    ['zeros and ohs', '0O'.repeat(40)],
    ['more than a signature', '2'.repeat(89)],
    ['a statement', `'; drop table spend; --${'1'.repeat(60)}`],
  ])('is none when it is %s', async (_case, text) => {
    const spend = await rows.spendIn('facilitated, released');
    expect(await recordSignature(rows.db, spend.spendId, text)).toBe(false);
  });

  test('is the one under which the chain shows it', async () => {
    const { spendId, txSignature } = await rows.spendIn('facilitated, confirmed');
    const landed = await listUnfinalized(rows.db, { settledMsAgo: -1_000, limit: 1_000 });
    const listed = landed.find((one) => one.spendId === spendId);
    expect(listed).toMatchObject({ txSignature, attemptNo: 1 });
    const stored = await rows.db.oneFirst(sql.unsafe`
      select signature from attempt where spend_id = ${spendId}::uuid and state = 'landed'
    `);
    expect(stored).toBe(txSignature);
  });
});

describe('the row', () => {
  test('is of a payment to a service', async () => {
    const session = await rows.createSession();
    const transfer = requestedTransfer(session, { ...FACILITATED, kind: 'transfer' });
    await expect(acceptSpend(rows.db, transfer)).rejects.toMatchObject({
      constraint: 'spend_facilitator_is_of_a_service',
    });
  });

  test('takes no attempt that we could send, and its like takes none that we could not', async () => {
    const session = await rows.createSession();
    const facilitated = await rows.accept(session, FACILITATED);
    const fence = await holdLane(rows.db, session.sessionId);
    const ours = signedAttempt(1n);
    expect(await claimSpend(rows.db, { spend: facilitated, fence, signed: ours })).toBe('gone');
    const spend = await rows.accept(session);
    const theirs = { ...signedAttempt(1n), signature: null };
    expect(await claimSpend(rows.db, { spend, fence, signed: theirs })).toBe('gone');
  });

  test('is never signed twice, whichever process requests it', async () => {
    const { spendId } = await rows.spendIn('facilitated, stored');
    const again = rows.setSpend(spendId, sql.fragment`attempt = 2`);
    await expect(again).rejects.toMatchObject({ constraint: 'spend_facilitator_attempts_once' });
  });

  test('is not counted among what a lane waits for, and is among its open numbers', async () => {
    const session = await rows.createSession();
    await rows.claim(await rows.accept(session, FACILITATED));
    await rows.claim(await rows.accept(session));
    const read = await readLane(rows.db, session.sessionId, 0);
    expect(read?.lane).toMatchObject({ inFlight: 1, oldestOpenSeq: 1n, nextSeq: 3n });
  });
});
