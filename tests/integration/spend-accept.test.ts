import { randomUUID } from 'node:crypto';
import {
  acceptSpend,
  type AcceptOutcome,
  type NewSpend,
  cancelQueued,
  nextRetryId,
  spendIdFor,
} from '@agent-wallet/spend';
import { sql } from 'slonik';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { requestedTransfer, newAddress } from '../support/database/made-up-spends.ts';
import { type RowSession, useSpendRows } from '../support/database/spend-rows.ts';
import { SPEND_STATES, type SpendState } from '../support/database/spend-states.ts';

const rows = await useSpendRows();

const accept = (session: RowSession, request: Partial<NewSpend>): Promise<AcceptOutcome> =>
  acceptSpend(rows.db, requestedTransfer(session, request));

function countSpends(walletId: string): Promise<number> {
  return rows.db.oneFirst(sql.type(z.object({ count: z.number() }))`
    select count(*)::int as count from spend where wallet_id = ${walletId}::uuid
  `);
}

/** How many events with that id are to be matched with a spend. */
function countToMatch(spendId: string): Promise<number> {
  return rows.db.oneFirst(sql.type(z.object({ count: z.number() }))`
    select count(*)::int as count from program_event
    where spend_id = ${spendId}::uuid and reconcile_at is not null
  `);
}

const spendIdOf = (outcome: AcceptOutcome): string =>
  outcome.kind === 'accepted' || outcome.kind === 'existing' ? outcome.spend.spendId : outcome.kind;

test('an acceptance that the database rolled back is tried again, and then once only', async () => {
  const session = await rows.createSession();
  // A sequence keeps counting when its SQL transaction is rolled back.
  await rows.db.query(sql.unsafe`create sequence rolled_back`);
  await rows.db.query(sql.unsafe`
    create function roll_back_twice() returns trigger language plpgsql as $$
    begin
      if nextval('rolled_back') <= 2 then
        raise exception 'serialization failure' using errcode = 'serialization_failure';
      end if;
      return null;
    end
    $$
  `);
  await rows.db.query(sql.unsafe`
    create constraint trigger roll_back_twice after insert on spend
      deferrable initially deferred for each row execute function roll_back_twice()
  `);
  try {
    expect(await accept(session, {})).toMatchObject({ kind: 'accepted' });
  } finally {
    await rows.db.query(sql.unsafe`drop trigger roll_back_twice on spend`);
  }
  expect(await countSpends(session.walletId)).toBe(1);
});

describe('what is reserved when a spend is accepted', () => {
  test('an accepted spend is queued, unclaimed and holds its amount', async () => {
    const session = await rows.createSession();
    const balance = { amount: 100n, slot: 1n };
    const outcome = await accept(session, { amount: 100n, balance, notAfterMs: 60_000 });
    expect(outcome).toMatchObject({
      kind: 'accepted',
      spend: { status: 'queued', attempt: 0, amount: 100n, reserved: 100n, spendSeq: null },
    });
  });

  test('open spends are bounded per session, and an idempotent replay still passes', async () => {
    const session = await rows.createSession();
    const pendingLimits = { session: 2, wallet: 10 };
    const key = { idempotencyKey: 'k', requestDigest: Buffer.from('d') };
    const first = await accept(session, { ...key, pendingLimits });
    await accept(session, { pendingLimits });
    expect(await accept(session, { pendingLimits })).toEqual({ kind: 'too_many_pending' });
    expect(await accept(session, { ...key, pendingLimits })).toMatchObject({
      kind: 'existing',
      spend: { spendId: spendIdOf(first) },
    });
    expect(await countSpends(session.walletId)).toBe(2);
  });

  test('open spends are bounded per wallet over all its sessions', async () => {
    const session = await rows.createSession();
    const pendingLimits = { session: 10, wallet: 1 };
    await accept(session, { pendingLimits });
    expect(await accept(session, { pendingLimits })).toEqual({ kind: 'too_many_pending' });
  });

  test('a session that has used its daily fees is told when to retry', async () => {
    const session = await rows.createSession();
    await rows.claim(await rows.accept(session));
    const budgets = { lamportsPerDay: 10_000n, revertsPerDay: 100 };
    const refused = await accept(session, { budgets });
    expect(refused).toMatchObject({ kind: 'over_budget', budget: 'fees' });
    const wait = refused.kind === 'over_budget' ? refused.retryAfterSeconds : 0;
    expect(wait).toBeGreaterThan(0);
    expect(wait).toBeLessThanOrEqual(86_400);
    const more = { ...budgets, lamportsPerDay: 10_001n };
    expect(await accept(session, { budgets: more })).toMatchObject({ kind: 'accepted' });
    await rows.setSession(session.sessionId, sql.fragment`fee_day = fee_day - 1`);
    expect(await accept(session, { budgets })).toMatchObject({ kind: 'accepted' });
  });

  test('a session whose spends keep reverting is told to wait', async () => {
    const session = await rows.createSession();
    const spend = await rows.accept(session);
    await rows.claim(spend);
    await rows.settle(spend, { kind: 'landed_error' });
    const budgets = { lamportsPerDay: 1_000_000n, revertsPerDay: 1 };
    expect(await accept(session, { budgets })).toMatchObject({
      kind: 'over_budget',
      budget: 'reverts',
    });
    expect(await accept(session, { budgets: { ...budgets, revertsPerDay: 2 } })).toMatchObject({
      kind: 'accepted',
    });
  });

  // The spend landed at slot 2000; 100 of 150 are spoken for while it counts.
  const COUNTED = { kind: 'insufficient', liquid: 150n, reserved: 100n };
  const FREE = { kind: 'accepted' };
  test.each<[SpendState, bigint, object]>([
    ['queued', 2_001n, COUNTED],
    ['queued again', 2_001n, COUNTED],
    ['in flight', 2_001n, COUNTED],
    ['in flight, sent again', 2_001n, COUNTED],
    ['in flight, second attempt', 2_001n, COUNTED],
    ['confirmed', 1_999n, COUNTED],
    ['confirmed', 2_000n, COUNTED],
    ['confirmed', 2_001n, FREE],
    ['finalized', 2_000n, COUNTED],
    ['finalized', 2_001n, FREE],
    ['reverted', 1_999n, FREE],
    ['reverted for good', 1_999n, FREE],
    ['refused unsent', 1_999n, FREE],
    ['refused in preflight', 1_999n, FREE],
    ['never landed', 1_999n, FREE],
  ])('%s against a balance read at slot %i', async (state, slot, expected) => {
    const session = await rows.createSession();
    const first = await rows.accept(session, { amount: 100n });
    await SPEND_STATES[state](rows, first);
    // Another session of the same wallet: the vault is one.
    const other = await rows.createSession(session.walletId);
    const outcome = await accept(other, { amount: 60n, balance: { amount: 150n, slot } });
    expect(outcome).toMatchObject(expected);
  });

  test('another wallet reserves nothing here', async () => {
    await rows.accept(await rows.createSession(), { amount: 100n });
    const balance = { amount: 100n, slot: 1n };
    expect(await accept(await rows.createSession(), { balance })).toMatchObject({
      kind: 'accepted',
    });
  });

  test('what does not fit writes nothing', async () => {
    const session = await rows.createSession();
    const balance = { amount: 99n, slot: 1n };
    expect(await accept(session, { amount: 100n, balance })).toEqual({
      kind: 'insufficient',
      liquid: 99n,
      reserved: 0n,
    });
    expect(await countSpends(session.walletId)).toBe(0);
  });

  test('a spend with a predicted refusal reserves nothing and is accepted beside a full reservation', async () => {
    const session = await rows.createSession();
    const balance = { amount: 100n, slot: 1n };
    await rows.accept(session, { amount: 100n, balance });
    const doomed = { amount: 100n, reserved: 0n, balance };
    expect(await accept(session, doomed)).toMatchObject({ kind: 'accepted' });
    const third = await accept(session, { amount: 1n, balance });
    expect(third).toEqual({ kind: 'insufficient', liquid: 100n, reserved: 100n });
  });

  test('fifty concurrent requests never reserve more than the balance', async () => {
    const first = await rows.createSession();
    const second = await rows.createSession(first.walletId);
    const balance = { amount: 79n, slot: 1n };
    const outcomes = await Promise.all(
      Array.from({ length: 50 }, (_, index) =>
        accept(index % 2 === 0 ? first : second, { amount: 11n, balance }),
      ),
    );
    expect(outcomes.filter(({ kind }) => kind === 'accepted')).toHaveLength(7);
    expect(await countSpends(first.walletId)).toBe(7);
    expect(outcomes).toContainEqual({ kind: 'insufficient', liquid: 79n, reserved: 77n });
  });
});

const keyed = (session: RowSession, key = 'key', digest = 'digest'): Partial<NewSpend> => ({
  spendId: spendIdFor(session.sessionId, key),
  idempotencyKey: key,
  requestDigest: Buffer.from(digest),
});

describe('an Idempotency-Key', () => {
  test('returns the same spend for the same request, without a second reservation', async () => {
    const session = await rows.createSession();
    const balance = { amount: 100n, slot: 1n };
    const first = await accept(session, { ...keyed(session), balance });
    const again = await accept(session, { ...keyed(session), balance });
    expect(again).toMatchObject({ kind: 'existing', spend: { spendId: spendIdOf(first) } });
    expect(await countSpends(session.walletId)).toBe(1);
  });

  test('is refused for another request', async () => {
    const session = await rows.createSession();
    await accept(session, keyed(session));
    expect(await accept(session, keyed(session, 'key', 'other'))).toEqual({ kind: 'key_reused' });
    expect(await countSpends(session.walletId)).toBe(1);
  });

  test('belongs to one session', async () => {
    const session = await rows.createSession();
    const other = await rows.createSession(session.walletId);
    await accept(session, keyed(session));
    expect(await accept(other, keyed(other, 'key', 'other'))).toMatchObject({ kind: 'accepted' });
  });

  test('raced by twenty requests makes one spend', async () => {
    const session = await rows.createSession();
    const outcomes = await Promise.all(
      Array.from({ length: 20 }, () => accept(session, keyed(session))),
    );
    expect(outcomes.filter(({ kind }) => kind === 'accepted')).toHaveLength(1);
    expect(outcomes.filter(({ kind }) => kind === 'existing')).toHaveLength(19);
    expect(new Set(outcomes.map(spendIdOf)).size).toBe(1);
  });

  test('is free again after the spend was refused unsent, under another spend id', async () => {
    const session = await rows.createSession();
    const first = spendIdOf(await accept(session, keyed(session)));
    await cancelQueued(rows.db, { spendId: first, walletId: session.walletId });
    const second = await accept(session, keyed(session, 'key', 'other request'));
    expect(second).toMatchObject({ kind: 'accepted', spend: { status: 'queued' } });
    expect(spendIdOf(second)).not.toBe(first);
    expect(await rows.read(first)).toMatchObject({ status: 'rejected', code: 'EXPIRED_UNSENT' });
  });

  test('is, after a restore, the spend whose landing the chain still shows', async () => {
    const session = await rows.createSession();
    const requested = { ...keyed(session), amount: 7n, recipient: newAddress() };
    const first = spendIdOf(await accept(session, requested));
    await cancelQueued(rows.db, { spendId: first, walletId: session.walletId });
    const paid = nextRetryId(first);
    await rows.landed(session, first);
    await rows.landed(session, paid, { amount: '8', recipient: requested.recipient });
    await rows.landed(session, nextRetryId(paid), { amount: '7', recipient: requested.recipient });
    expect(spendIdOf(await accept(session, requested))).toBe(nextRetryId(paid));
    expect(await countToMatch(nextRetryId(paid))).toBe(1);
  });

  test('does not become the id of a payment that a stranger made', async () => {
    const session = await rows.createSession();
    const requested = { ...keyed(session), amount: 7n, recipient: newAddress() };
    const seen = { amount: '7', recipient: requested.recipient };
    const first = spendIdFor(session.sessionId, 'key');
    for (const walletId of [undefined, session.walletId]) {
      const stranger = await rows.createSession(walletId);
      await rows.landed(stranger, first);
      await rows.landed(stranger, nextRetryId(first), seen);
    }
    expect(spendIdOf(await accept(session, requested))).toBe(first);
    expect(await countToMatch(first)).toBe(0);
  });

  test.each<SpendState>(['refused in preflight', 'never landed', 'reverted', 'confirmed'])(
    'stays with a spend that had an attempt: %s',
    async (state) => {
      const session = await rows.createSession();
      const first = await rows.accept(session, keyed(session));
      await SPEND_STATES[state](rows, first);
      expect(await accept(session, keyed(session))).toMatchObject({
        kind: 'existing',
        spend: { spendId: first.spendId },
      });
    },
  );

  test('makes the same ids in the same order, however often it was free again', async () => {
    const session = await rows.createSession();
    const first = spendIdFor(session.sessionId, 'key');
    const expected = [first, nextRetryId(first), nextRetryId(nextRetryId(first))];
    for (const spendId of expected) {
      expect(spendIdOf(await accept(session, keyed(session)))).toBe(spendId);
      await cancelQueued(rows.db, { spendId, walletId: session.walletId });
    }
  });

  test('makes the same id from the same session and key only', () => {
    const [one, other] = [randomUUID(), randomUUID()];
    expect(spendIdFor(one, 'key')).toBe(spendIdFor(one, 'key'));
    const ids = [spendIdFor(one, 'key'), spendIdFor(other, 'key'), spendIdFor(one, 'yek')];
    expect(new Set([...ids, spendIdFor(one, null), spendIdFor(one, null)]).size).toBe(5);
  });
});
