import type { FeedPosition, PlainRecord, ProgramTransaction } from '@agent-wallet/chain';
import { createLogger } from '@agent-wallet/process';
import { sql } from 'slonik';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { newAddress, newSignature } from '../../../../tests/support/database/made-up-spends.ts';
import { type RowSession, useSpendRows } from '../../../../tests/support/database/spend-rows.ts';
import { whileWalletHeld } from '../../../../tests/support/database/while-wallet-held.ts';
import { createMetrics } from '../metrics.ts';
import { createCatchUp } from './catch-up.ts';
import { createFollowProgram } from './follow-program.ts';
import { createFollowProgress } from './follow-progress.ts';

const rows = await useSpendRows();
let slot = 1_000n;

function transactionOf(name: string, data: PlainRecord): ProgramTransaction {
  slot += 1n;
  const events = [{ name, data, instructionIndex: 0, innerIndex: 0 }];
  return { signature: newSignature(), slot, err: null, events };
}

const fraction = ({ vaultPda: vault }: RowSession, max_deployed_fraction_bp: number) =>
  transactionOf('MaxDeployedFractionSet', { vault, max_deployed_fraction_bp });

const unreadable = ({ signature, slot: at }: ProgramTransaction): ProgramTransaction => ({
  signature,
  slot: at,
  err: null,
  events: [],
  unreadable: 'the node does not have it',
});

/** A follower whose feed delivers these transactions in one batch, and then what it reads again. */
function createFollower(delivered: readonly ProgramTransaction[]) {
  let left = delivered;
  const metrics = createMetrics();
  const followed = {
    metrics,
    /** How a transaction looks when it is read again. */
    later: new Map(delivered.map((one) => [one.signature, one])),
    again: [] as string[],
    seenSlot: undefined as bigint | undefined,
    feed: {
      forget: () => {},
      read: async ({ cursor, again, seenSlot }: FeedPosition) => {
        followed.seenSlot = seenSlot;
        followed.again = again.map(({ signature }) => signature);
        const retried = again.flatMap(({ signature }) => followed.later.get(signature) ?? []);
        const transactions = [...retried, ...left];
        const last = left.at(-1)?.slot;
        left = [];
        const moved = last === undefined ? cursor : { slot: last };
        return { transactions, cursor: moved, pausedAt: null, passed: null, caughtUp: true };
      },
    },
  };
  const deps = {
    db: rows.db,
    nudge: () => Promise.reject(new Error('must not be called')),
    log: createLogger({ name: 'test', level: 'silent' }),
    metrics,
  };
  const progress = createFollowProgress(metrics);
  const pass = createFollowProgram({ ...deps, progress, feed: followed.feed });
  const catchUp = createCatchUp({ ...deps, createFeed: () => followed.feed });
  return { ...followed, followed, pass, catchUp };
}

const makeDue = () =>
  rows.db.query(sql.unsafe`
    update postponed_transaction set look_at = now() - interval '1 second'
  `);

const fractionOf = ({ walletId }: RowSession): Promise<number> =>
  rows.db.oneFirst(sql.type(z.object({ fraction: z.number() }))`
    select max_deployed_fraction_bp as fraction from wallet where wallet_id = ${walletId}::uuid
  `);

const postponedRow = z.object({ tries: z.number(), isSkipped: z.boolean(), reason: z.string() });
const postponed = ({ signature }: ProgramTransaction) =>
  rows.db.maybeOne(sql.type(postponedRow)`
    select tries, skipped_at is not null as "isSkipped", reason
    from postponed_transaction where signature = ${signature}
  `);

const cursorSlot = () => rows.db.oneFirst(sql.unsafe`select slot from program_cursor`);

test('a transaction that cannot be read is recorded, and the others are applied', async () => {
  const session = await rows.createSession();
  const bad = fraction(session, 1);
  const good = fraction(session, 2);
  const { pass } = createFollower([unreadable(bad), good]);
  await pass();
  expect(await fractionOf(session)).toBe(2);
  expect(await cursorSlot()).toBe(good.slot);
  expect(await postponed(bad)).toEqual({
    tries: 1,
    isSkipped: false,
    reason: 'the node does not have it',
  });
});

test('a transaction is recorded whatever words a node has for its fault', async () => {
  const bad = unreadable(fraction(await rows.createSession(), 1));
  const reason = `\u0000\uD800${'x'.repeat(10_000)}`;
  await createFollower([{ ...bad, unreadable: reason }]).pass();
  const recorded = (await postponed(bad))?.reason;
  expect(recorded).toBe(`\uFFFD\uFFFD${'x'.repeat(298)}`);
});

test('its events, when they can be read, leave the rows as if they had come in their order', async () => {
  const session = await rows.createSession();
  const bad = fraction(session, 10);
  const good = fraction(session, 20);
  const { pass, followed } = createFollower([unreadable(bad), good]);
  followed.later.set(bad.signature, bad);
  await pass();
  await makeDue();
  await pass();
  expect(await fractionOf(session)).toBe(20);
  expect(await postponed(bad)).toBeNull();
  const stored = await rows.db.any(sql.unsafe`
    select data ->> 'max_deployed_fraction_bp' as fraction from program_event
    where vault = ${session.vaultPda} order by slot
  `);
  expect(stored).toEqual([{ fraction: '10' }, { fraction: '20' }]);
});

test('limits that are applied late do not replace newer ones', async () => {
  const session = await rows.createSession();
  const limits = (cap: bigint) =>
    transactionOf('SessionLimitsUpdated', {
      vault: session.vaultPda,
      session: session.sessionPda,
      max_per_tx: 1n,
      daily_cap: cap,
      expiry: 3n,
      allowed_instructions: 1,
    });
  const bad = limits(10n);
  const { pass, followed } = createFollower([unreadable(bad), limits(2n ** 64n - 1n)]);
  followed.later.set(bad.signature, bad);
  await pass();
  await makeDue();
  await pass();
  const cap = await rows.db.oneFirst(sql.unsafe`
    select daily_cap::text as cap from session where session_id = ${session.sessionId}::uuid
  `);
  expect(cap).toBe(String(2n ** 64n - 1n));
});

test('after nine tries it counts as skipped, with one alert, and is still tried', async () => {
  const bad = unreadable(fraction(await rows.createSession(), 1));
  const { pass, metrics, followed } = createFollower([bad]);
  for (let tries = 1; tries <= 10; tries += 1) {
    await pass();
    expect(await postponed(bad)).toMatchObject({ tries, isSkipped: tries >= 9 });
    await pass();
    expect(followed.again).not.toContain(bad.signature);
    await makeDue();
  }
  expect(await metrics.alerts.counts()).toEqual({ transaction_skipped: 1 });
});

test('events that cannot be applied are recorded like those that cannot be read', async () => {
  const session = await rows.createSession();
  const absurd = transactionOf('MaxDeployedFractionSet', { vault: session.vaultPda });
  const good = fraction(session, 30);
  const { pass } = createFollower([absurd, good]);
  await pass();
  expect(await fractionOf(session)).toBe(30);
  expect((await postponed(absurd))?.reason).toContain('max_deployed_fraction_bp');
});

test('events that cannot be stored in one statement are stored one by one', async () => {
  const vault = newAddress();
  const absurd = transactionOf('VaultPaused', { vault, text: '\u0000' });
  const good = transactionOf('VaultPaused', { vault });
  const { pass } = createFollower([absurd, good]);
  await pass();
  const stored = await rows.db.any(sql.unsafe`
    select signature from program_event where vault = ${vault}
  `);
  expect(stored).toEqual([{ signature: good.signature }]);
  expect(await postponed(absurd)).toMatchObject({ isSkipped: false });
});

test('a wallet whose row is locked waits, also with its later events, and no other one does', async () => {
  const [locked, other] = [await rows.createSession(), await rows.createSession()];
  const first = fraction(locked, 40);
  const second = fraction(locked, 41);
  const { pass } = createFollower([first, second, fraction(other, 42)]);
  await whileWalletHeld(rows.db, locked, pass);
  expect(await fractionOf(other)).toBe(42);
  expect(await postponed(first)).toMatchObject({ tries: 1 });
  expect(await postponed(second)).toMatchObject({ reason: 'its wallet is busy' });
  await makeDue();
  await pass();
  expect(await fractionOf(locked)).toBe(41);
  expect([await postponed(first), await postponed(second)]).toEqual([null, null]);
});

test('a catch-up ends only when nothing up to its slot is still tried', async () => {
  const bad = fraction(await rows.createSession(), 1);
  const { catchUp, followed } = createFollower([unreadable(bad)]);
  await rows.db.query(sql.unsafe`delete from postponed_transaction`);
  expect(await catchUp(bad.slot)).toBe(false);
  expect(followed.seenSlot).toBe(bad.slot);
  expect(await catchUp(bad.slot - 1n)).toBe(true);
  followed.later.set(bad.signature, bad);
  await makeDue();
  expect(await catchUp(bad.slot)).toBe(true);
});
