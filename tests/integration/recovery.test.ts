import { claimDeployment, readIntake, openIntake, closeIntake } from '@agent-wallet/db';
import { acceptSpend, cancelQueued, rejectQueued, openLanes } from '@agent-wallet/spend';
import { sql } from 'slonik';
import { beforeAll, expect, test } from 'vitest';
import { claimSpend } from '../support/database/lane-rows.ts';
import { requestedTransfer, signedAttempt } from '../support/database/made-up-spends.ts';
import { useSpendRows } from '../support/database/spend-rows.ts';

const DEPLOYMENT = { genesisHash: 'genesis', programId: 'program', usdcMint: 'mint' };

const rows = await useSpendRows();
beforeAll(() => claimDeployment(rows.db, DEPLOYMENT, { allowMainnet: false }));

async function open(closedAtHeight: bigint, of?: string): Promise<boolean> {
  const identity = of ?? (await readIntake(rows.db))?.identity ?? '';
  return openIntake(rows.db, { closedAtHeight, identity });
}

test('an unchanged database accepts spends', async () => {
  expect(await readIntake(rows.db)).toMatchObject({ isOpen: true, isOtherDatabase: false });
});

test('while intake is closed nothing is accepted, claimed, cancelled or rejected', async () => {
  const session = await rows.createSession();
  const spend = await rows.accept(session);
  const lease = { holder: 'a', leaseMs: 60_000, most: 1, after: 0n, limit: 1 };
  const [opened] = await openLanes(rows.db, { ...lease, walletId: session.walletId });
  const fence = opened?.fence ?? 0n;

  const other = await rows.createSession();
  await rows.accept(other);
  await closeIntake(rows.db, { height: 1_000n, reason: 'a test' });
  expect(await acceptSpend(rows.db, requestedTransfer(session, {}))).toEqual({
    kind: 'intake_closed',
  });
  expect(await cancelQueued(rows.db, spend)).toBeNull();
  const refusal = { spend, fence, code: 'INTERNAL', detail: 'a test' };
  expect(await rejectQueued(rows.db, refusal)).toBeNull();
  const signed = signedAttempt(1n);
  expect(await claimSpend(rows.db, { spend, fence, signed })).toBe('intake_closed');
  expect(await openLanes(rows.db, { ...lease, walletId: other.walletId })).toEqual([]);

  await open(1_000n);
  expect(await claimSpend(rows.db, { spend, fence, signed })).toBe('claimed');
});

test('the last closing counts: opening an older state does nothing', async () => {
  await closeIntake(rows.db, { height: 1_000n, reason: 'first' });
  await closeIntake(rows.db, { height: 1_200n, reason: 'second' });
  expect(await open(1_000n)).toBe(false);
  expect(await readIntake(rows.db)).toMatchObject({ isOpen: false, closedAtHeight: 1_200n });
  expect(await open(1_200n)).toBe(true);
});

test('another system identifier or timeline closes intake at once', async () => {
  await rows.db.query(sql.unsafe`update deployment set identity = 'another/00000001'`);
  const session = await rows.createSession();
  expect(await acceptSpend(rows.db, requestedTransfer(session, {}))).toEqual({
    kind: 'intake_closed',
  });
  expect(await readIntake(rows.db)).toMatchObject({ isOpen: false, isOtherDatabase: true });
  await closeIntake(rows.db, { height: 5n, reason: 'noticed' });
  // A guard that was stopped since it examined the database before this one.
  expect(await open(5n, 'another/00000001')).toBe(false);
  expect(await open(5n)).toBe(true);
  expect((await acceptSpend(rows.db, requestedTransfer(session, {}))).kind).toBe('accepted');
});
