import type { ProgramEvent, ProgramTransaction } from '@agent-wallet/chain';
import type { Spend } from '@agent-wallet/spend';
import { sql } from 'slonik';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { applyEvents } from '../../apps/confirm-worker/src/follow/apply-events.ts';
import { writeCursor } from '../../apps/confirm-worker/src/follow/position.ts';
import { markDone } from '../../apps/confirm-worker/src/reconcile/mark-events.ts';
import { readUnmatched } from '../../apps/confirm-worker/src/reconcile/read-unmatched.ts';
import { reconcile } from '../../apps/confirm-worker/src/reconcile/reconcile.ts';
import { type Confirming, createConfirming } from '../support/chain/confirming.ts';
import { createScriptedChain } from '../support/chain/scripted-chain.ts';
import { newAddress, newSignature } from '../support/database/made-up-spends.ts';
import {
  expectSpend,
  openSpendRows,
  type RowSession,
  type SpendRows,
} from '../support/database/spend-rows.ts';
import { finalize, type SpendState } from '../support/database/spend-states.ts';

let rows: SpendRows;
let worker: Confirming;
let session: RowSession;
beforeEach(async () => {
  rows = await openSpendRows();
  worker = createConfirming(rows, createScriptedChain());
  session = await rows.createSession();
});
afterEach(() => rows[Symbol.asyncDispose]());

const SLOT = 2_000n;

/** The landing of a spend as the program tells it, but for the given fields. */
function transfer(spend: Spend, change: Partial<ProgramEvent['data']> = {}): ProgramEvent {
  const data = {
    vault: session.vaultPda,
    session: session.sessionPda,
    session_index: 0n,
    spend_seq: spend.spendSeq ?? 1n,
    spend_id: spend.spendId.replaceAll('-', ''),
    amount: spend.amount,
    recipient: spend.recipient,
    ...change,
  };
  return { name: 'UsdcTransferred', data, instructionIndex: 0, innerIndex: 0 };
}

async function follow(event: ProgramEvent, signature: string): Promise<void> {
  const landed: ProgramTransaction = { signature, slot: SLOT, err: null, events: [event] };
  await applyEvents(rows.db, landed);
}

/** Passes until nothing is due. */
async function reconcileAll(): Promise<void> {
  for (let pass = 0; pass < 5; pass += 1) {
    const { looked } = await reconcile(worker.writing, { isEager: true });
    if (looked === 0) return;
  }
  throw new Error('there is always more to reconcile');
}

const recordRow = z.object({
  kind: z.string(),
  spendId: z.string().nullable(),
  detail: z.string(),
});

async function records(): Promise<readonly z.output<typeof recordRow>[]> {
  return rows.db.any(sql.type(recordRow)`
    select kind, spend_id as "spendId", detail from unexplained order by unexplained_no
  `);
}

async function isJoined({ spendId }: Spend): Promise<boolean> {
  return rows.db.oneFirst(sql.type(z.object({ joined: z.boolean() }))`
    select event_joined_at is not null as joined from spend where spend_id = ${spendId}::uuid
  `);
}

const spendIn = (state: SpendState): Promise<Spend> => rows.spendIn(state, session);

describe('an event settles its spend', () => {
  test.each<[SpendState, string | null]>([
    ['queued', null],
    ['queued again', null],
    ['in flight', null],
    ['in flight, second attempt', null],
    ['refused unsent', 'LANDED_AFTER_REJECT'],
    ['refused in preflight', 'LANDED_AFTER_REJECT'],
    ['reverted', 'LANDED_AFTER_REVERT'],
    ['never landed', 'LANDED_AFTER_REJECT'],
  ])('that is %s', async (state, reason) => {
    const spend = await spendIn(state);
    await rows.accept(session);
    const signature = spend.txSignature ?? newSignature();
    await follow(transfer(spend), signature);
    await reconcileAll();
    await expectSpend(rows, spend, {
      status: 'confirmed',
      txSignature: signature,
      landedSlot: SLOT,
    });
    const audit = await rows.auditOf(spend.spendId);
    expect(audit.at(-1)).toMatchObject({ decision: 'allow', reason });
    expect(audit).toHaveLength(reason === null ? 1 : 2);
    expect(await isJoined(spend)).toBe(true);
    expect(await records()).toEqual([]);
    expect(worker.nudged).toEqual([session.walletId]);
  });

  test('once, however often it is read', async () => {
    const spend = await spendIn('in flight');
    await rows.accept(session);
    const signature = spend.txSignature ?? '';
    for (let time = 0; time < 3; time += 1) {
      await follow(transfer(spend), signature);
      await reconcileAll();
    }
    expect(await rows.auditOf(spend.spendId)).toHaveLength(1);
    expect(worker.nudged).toHaveLength(1);
  });

  test('not before the watch has had a second for it', async () => {
    const spend = await spendIn('in flight');
    await follow(transfer(spend), spend.txSignature ?? '');
    expect(await reconcile(worker.writing)).toMatchObject({ looked: 0 });
    await expectSpend(rows, spend, { status: 'in_flight' });
  });

  test('that cannot be written, later, and holds up no other', async () => {
    const [spend, other] = [await spendIn('in flight'), await spendIn('in flight')];
    await rows.blockDecision(spend);
    await follow(transfer(spend), spend.txSignature ?? '');
    await follow(transfer(other), other.txSignature ?? '');
    const pass = await reconcile(worker.writing, { isEager: true });
    expect(pass).toMatchObject({ looked: 2, unsettled: 1 });
    await expectSpend(rows, other, { status: 'confirmed' });
    await expectSpend(rows, spend, { status: 'in_flight' });
  });
});

describe('an event that its spend explains', () => {
  test.each<SpendState>(['confirmed', 'finalized'])('%s is joined', async (state) => {
    const spend = await spendIn(state);
    await follow(transfer(spend), spend.txSignature ?? '');
    await reconcileAll();
    expect(await isJoined(spend)).toBe(true);
    expect(await records()).toEqual([]);
    expect(await worker.alerts()).toEqual({});
  });

  test('of a landing that was taken back brings it back no more', async () => {
    const spend = await spendIn('confirmed');
    const signature = spend.txSignature ?? '';
    await rows.settle(spend, { kind: 'expired', isFinal: true });
    await follow(transfer(spend), signature);
    await reconcileAll();
    await expectSpend(rows, spend, { code: 'FORKED_OUT' });
    expect(await records()).toEqual([]);
  });
});

async function expectRecord(kind: string, detail: string): Promise<void> {
  await reconcileAll();
  await rows.db.query(sql.unsafe`update program_event set reconcile_at = now()`);
  await reconcileAll();
  expect(await records()).toMatchObject([{ kind, detail: expect.stringContaining(detail) }]);
  expect(await worker.alerts()).toEqual({ [kind]: 1 });
}

describe('an event that no row explains is recorded once, with an alert', () => {
  test('a spend without a request', async () => {
    const spend = await spendIn('queued');
    await follow(transfer(spend, { spend_id: 'ab'.repeat(16) }), newSignature());
    await expectRecord('event_without_spend', '100 left the vault');
    await expectSpend(rows, spend, { status: 'queued' });
  });

  test.each<[string, Partial<ProgramEvent['data']>, string]>([
    ['another amount', { amount: 101n }, 'amount is 101, the spend says 100'],
    ['another recipient', { recipient: newAddress() }, 'recipient is'],
    ['another session', { session: newAddress() }, 'session is'],
    ['another session index', { session_index: 7n }, 'session index is 7, the spend says 0'],
    ['another sequence number', { spend_seq: 9n }, 'sequence number is 9, the spend says 1'],
  ])('%s', async (_case, change, detail) => {
    const spend = await spendIn('in flight');
    await follow(transfer(spend, change), spend.txSignature ?? '');
    await expectRecord('event_differs', detail);
    await expectSpend(rows, spend, { status: 'in_flight' });
  });

  test('a second landing of a spend that has landed', async () => {
    const spend = await spendIn('finalized');
    await follow(transfer(spend), newSignature());
    await expectRecord('second_landing', `landed already, as ${spend.txSignature}`);
  });

  test('but not when the vault is none of ours', async () => {
    const spend = await spendIn('queued');
    const elsewhere = { vault: newAddress(), spend_id: 'ab'.repeat(16) };
    await follow(transfer(spend, elsewhere), newSignature());
    await reconcileAll();
    expect(await records()).toEqual([]);
  });
});

test('an event that became due again while a pass had it is not marked as done', async () => {
  const spend = await spendIn('queued');
  await follow(transfer(spend, { spend_id: 'ab'.repeat(16) }), newSignature());
  const due = { withinMs: 10_000, limit: 10 };
  const events = await readUnmatched(rows.db, due);
  expect(events).toHaveLength(1);
  // As when a spend is accepted that a restored database had forgotten.
  await rows.db.query(sql.unsafe`update program_event set reconcile_at = now()`);
  await markDone(rows.db, events);
  const again = await readUnmatched(rows.db, due);
  expect(again).toHaveLength(1);
  await markDone(rows.db, again);
  expect(await readUnmatched(rows.db, due)).toEqual([]);
});

const recordedAt = async (slot: bigint): Promise<number> => {
  await writeCursor(rows.db, { slot });
  await reconcileAll();
  return (await records()).length;
};

describe('a landed spend without its event', () => {
  test.each<SpendState>(['confirmed', 'finalized'])(
    'that is %s is recorded once the follower is well past it',
    async (state) => {
      const spend = await spendIn(state);
      expect(await recordedAt(SLOT + 300n)).toBe(0);
      expect(await recordedAt(SLOT + 301n)).toBe(1);
      expect(await recordedAt(SLOT + 900n)).toBe(1);
      const { spendId } = spend;
      expect((await records())[0]).toMatchObject({ kind: 'spend_without_event', spendId });
      expect(await worker.alerts()).toEqual({ spend_without_event: 1 });
    },
  );

  test('that was set to finalized by hand is recorded', async () => {
    const spend = await spendIn('queued');
    const forged = sql.fragment`
      status = 'finalized', tx_signature = 'forged', landed_slot = 1, settled_at = now()
    `;
    await rows.setSpend(spend.spendId, forged);
    expect(await recordedAt(1_000n)).toBe(1);
  });

  test('is none when the event was met, or is about to be', async () => {
    const [met, waiting] = [await spendIn('confirmed'), await spendIn('confirmed')];
    await follow(transfer(met), met.txSignature ?? '');
    await reconcileAll();
    await finalize(rows, met.spendId);
    await follow(transfer(waiting), waiting.txSignature ?? '');
    await writeCursor(rows.db, { slot: SLOT + 900n });
    await reconcile(worker.writing);
    expect(await records()).toEqual([]);
  });
});

test.each([
  ['edited', sql.unsafe`update unexplained set detail = 'nothing'`],
  ['deleted', sql.unsafe`delete from unexplained`],
  ['emptied away', sql.unsafe`truncate unexplained`],
])('a record cannot be %s', async (_how, statement) => {
  const spend = await spendIn('queued');
  await follow(transfer(spend, { spend_id: 'ab'.repeat(16) }), newSignature());
  await reconcileAll();
  await expect(rows.db.query(statement)).rejects.toThrow('never edited or deleted');
});
