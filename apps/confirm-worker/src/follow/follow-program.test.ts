import type { FeedBatch, FeedCursor, ProgramTransaction } from '@agent-wallet/chain';
import { createLogger } from '@agent-wallet/process';
import { sql } from 'slonik';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { newSignature } from '../../../../tests/support/database/made-up-spends.ts';
import { openSpendRows, type SpendRows } from '../../../../tests/support/database/spend-rows.ts';
import { createExplainLandings } from './explain-landings.ts';
import { createFollowProgram } from './follow-program.ts';
import { createFollowProgress } from './follow-progress.ts';
import { createMetrics } from '../metrics.ts';
import { readPosition, writeCursor } from './position.ts';

let rows: SpendRows;
beforeEach(async () => {
  rows = await openSpendRows();
});
afterEach(() => rows[Symbol.asyncDispose]());

function vaultMade(vault: string, slot: bigint): ProgramTransaction {
  const data = { vault, owner: 'owner', max_deployed_fraction_bp: 100 };
  const event = { name: 'VaultInitialized', data, instructionIndex: 0, innerIndex: 0 };
  return { signature: newSignature(), slot, err: null, events: [event] };
}

type Batch = Omit<FeedBatch, 'pausedAt' | 'passed'>;

/** A follower whose feed returns these batches one after the other. */
function follow(
  batches: readonly (Batch | Error)[],
  whileReading: () => Promise<unknown> = async () => {},
): {
  readonly pass: ReturnType<typeof createFollowProgram>;
  readonly calls: (FeedCursor | 'forget' | null)[];
} {
  const left = [...batches];
  const calls: (FeedCursor | 'forget' | null)[] = [];
  const metrics = createMetrics();
  const pass = createFollowProgram({
    progress: createFollowProgress(metrics),
    db: rows.db,
    feed: {
      forget: () => {
        calls.push('forget');
      },
      read: async ({ cursor }) => {
        calls.push(cursor);
        await whileReading();
        const batch = left.shift();
        if (batch === undefined || batch instanceof Error) throw batch ?? new Error('no batch');
        return { pausedAt: null, passed: null, ...batch };
      },
    },
    nudge: () => Promise.reject(new Error('must not be called')),
    log: createLogger({ name: 'test', level: 'silent' }),
    metrics,
  });
  return { pass, calls };
}

test('a pass applies its batch, moves the cursor, and is due at once when there is more', async () => {
  const { vaultPda } = await rows.createSession();
  const made = vaultMade(vaultPda, 50n);
  const { pass, calls } = follow([
    { transactions: [made], cursor: { slot: 50n }, caughtUp: false },
    { transactions: [], cursor: { slot: 50n }, caughtUp: true },
  ]);
  expect(await pass()).toBe(0);
  expect(await pass()).toBeGreaterThan(0);
  expect(calls).toEqual([null, { slot: 50n }]);
  const active = await rows.db.oneFirst(sql.unsafe`
    select active_slot from wallet where vault_pda = ${vaultPda}
  `);
  expect(active).toBe(50n);
});

test('a failed transaction moves the cursor and changes no other row', async () => {
  const failed = { signature: newSignature(), slot: 60n, err: 'failed', events: [] };
  const { pass } = follow([{ transactions: [failed], cursor: { slot: 60n }, caughtUp: true }]);
  await pass();
  expect((await readPosition(rows.db)).cursor).toEqual({ slot: 60n });
  expect(await rows.db.any(sql.unsafe`select 1 from program_event`)).toEqual([]);
});

test('a failed read leaves the cursor unchanged', async () => {
  const { pass } = follow([new Error('RPC is away')]);
  await expect(pass()).rejects.toThrow('RPC is away');
  expect((await readPosition(rows.db)).cursor).toBeNull();
});

test('a restored database receives the lost events again', async () => {
  const { vaultPda } = await rows.createSession();
  const made = vaultMade(vaultPda, 80n);
  const { pass, calls } = follow([
    { transactions: [made], cursor: { slot: 80n }, caughtUp: true },
    { transactions: [made], cursor: { slot: 80n }, caughtUp: true },
    { transactions: [], cursor: { slot: 80n }, caughtUp: true },
  ]);
  await pass();
  await rows.db.query(sql.unsafe`delete from program_event`);
  await rows.db.query(sql.unsafe`delete from program_cursor`);
  await pass();
  await pass();
  expect(calls).toEqual([null, 'forget', null, { slot: 80n }]);
});

test('a restored database receives the events again that an earlier process stored', async () => {
  const { vaultPda } = await rows.createSession();
  const made = vaultMade(vaultPda, 80n);
  const batch = { transactions: [made], cursor: { slot: 80n }, caughtUp: true };
  await follow([batch]).pass();
  const known = { ...made, events: [], known: 'stored' as const };
  const { pass, calls } = follow([{ ...batch, transactions: [known] }, batch]);
  await pass();
  await rows.db.query(sql.unsafe`delete from program_event`);
  await pass();
  expect(calls).toEqual([{ slot: 80n }, 'forget', { slot: 80n }]);
});

test('a restored database receives a transaction again that it no longer holds as postponed', async () => {
  const { vaultPda } = await rows.createSession();
  const bad = { ...vaultMade(vaultPda, 80n), events: [], unreadable: 'the node does not have it' };
  const batch = { transactions: [bad], cursor: { slot: 80n }, caughtUp: true };
  const { pass, calls } = follow([batch, batch]);
  await pass();
  await rows.db.query(sql.unsafe`delete from postponed_transaction`);
  await pass();
  expect(calls).toEqual([null, 'forget', { slot: 80n }]);
});

test('a cursor that has gone back means a restored database, also for a process that read nothing new', async () => {
  await writeCursor(rows.db, { slot: 80n });
  const idle = { transactions: [], cursor: { slot: 80n }, caughtUp: true };
  const { pass, calls } = follow([idle, idle, idle]);
  await pass();
  await rows.db.query(sql.unsafe`update program_cursor set slot = 70`);
  await pass();
  await pass();
  expect(calls).toEqual([{ slot: 80n }, 'forget', { slot: 70n }, { slot: 70n }]);
});

test('a restored database receives a landing again whose match it has lost', async () => {
  const { spendId, txSignature } = await rows.spendIn('confirmed');
  const signature = txSignature ?? '';
  await createExplainLandings(rows.db)([signature]);
  const landed = { signature, slot: 80n, err: null, events: [], known: 'explained' as const };
  const batch = { transactions: [landed], cursor: { slot: 80n }, caughtUp: true };
  const { pass, calls } = follow([batch, { ...batch, transactions: [] }, batch]);
  await pass();
  expect((await readPosition(rows.db)).cursor).toEqual({ slot: 80n });
  await pass();
  await rows.setSpend(spendId, sql.fragment`event_joined_at = null`);
  await pass();
  expect(calls).toEqual([null, { slot: 80n }, 'forget', { slot: 80n }]);
});

test('the cursor does not move when the events before it are lost meanwhile', async () => {
  const made = vaultMade('vault', 90n);
  await writeCursor(rows.db, { slot: 90n }, { newest: made.signature });
  expect((await readPosition(rows.db)).cursor).toBeNull();
  await writeCursor(rows.db, { slot: 90n });
  expect((await readPosition(rows.db)).cursor).toEqual({ slot: 90n });
});

test('a follower that was stopped while the database was restored does not move the cursor', async () => {
  await writeCursor(rows.db, { slot: 80n });
  const failed = { signature: newSignature(), slot: 90n, err: 'failed', events: [] };
  const batch = { transactions: [failed], cursor: { slot: 90n }, caughtUp: true };
  const { pass, calls } = follow([batch, batch], () =>
    rows.db.query(sql.unsafe`update program_cursor set slot = 50`),
  );
  await pass();
  expect((await readPosition(rows.db)).cursor).toEqual({ slot: 50n });
  await pass();
  expect(calls).toEqual([{ slot: 80n }, 'forget', { slot: 50n }]);
});

test('after a term of another leader the feed forgets what it has read', async () => {
  const idle = { transactions: [], cursor: { slot: 80n }, caughtUp: true };
  const { pass, calls } = follow([idle, idle]);
  await pass({ isNewTerm: true });
  await pass({ isNewTerm: false });
  expect(calls).toEqual(['forget', null, null]);
});
