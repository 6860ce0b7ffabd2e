import type { PlainRecord } from '@agent-wallet/chain';
import { sql } from 'slonik';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { newAddress } from '../../../../tests/support/database/made-up-spends.ts';
import {
  openSpendRows,
  type RowSession,
  type SpendRows,
} from '../../../../tests/support/database/spend-rows.ts';
import { markWalletActive } from '@agent-wallet/wallet';
import { applyEvents } from './apply-events.ts';
import { readPosition, writeCursor } from './position.ts';
import {
  awaiting,
  ofSession,
  readAudit,
  readState,
  RECIPIENTS,
  sessionAdded,
  transactionOf,
} from '../../fixtures/owner-events.ts';

let rows: SpendRows;
beforeAll(async () => {
  rows = await openSpendRows();
});
afterAll(() => rows[Symbol.asyncDispose]());

describe('an event is applied to the rows', () => {
  const ADDED = {
    status: 'live',
    liveSlot: 4_000n,
    index: 7n,
    maxPerTx: 11n,
    dailyCap: 22n,
    expiry: 33n,
    bits: 3,
  };
  const LIMITS = { max_per_tx: 2n ** 64n - 1n, daily_cap: 44n, expiry: 55n };
  test.each<[string, 'live' | 'awaiting', string, (session: RowSession) => PlainRecord, object]>([
    [
      'a new vault is active',
      'awaiting',
      'VaultInitialized',
      ({ vaultPda: vault }) => ({ vault, owner: newAddress(), max_deployed_fraction_bp: 250 }),
      { walletStatus: 'active', activeSlot: 4_000n, fraction: 250 },
    ],
    [
      'an added session is live, with the limits of the chain, not the requested ones',
      'awaiting',
      'SessionAdded',
      (session) => sessionAdded(session).data,
      { ...ADDED, recipients: RECIPIENTS },
    ],
    [
      'changed recipients are stored',
      'live',
      'SessionAllowlistUpdated',
      (session) => ofSession(session, { recipients: RECIPIENTS }),
      { recipients: RECIPIENTS },
    ],
    [
      'changed limits are stored',
      'live',
      'SessionLimitsUpdated',
      (session) => ofSession(session, { ...LIMITS, allowed_instructions: 6 }),
      { maxPerTx: LIMITS.max_per_tx, dailyCap: 44n, expiry: 55n, bits: 6 },
    ],
    [
      'a changed fraction is stored',
      'live',
      'MaxDeployedFractionSet',
      ({ vaultPda: vault }) => ({ vault, max_deployed_fraction_bp: 8_000 }),
      { fraction: 8_000 },
    ],
  ])('%s', async (_case, state, name, dataOf, changed) => {
    const session = state === 'live' ? await rows.createSession() : await awaiting(rows);
    const before = await readState(rows, session);
    await applyEvents(rows.db, transactionOf({ name, data: dataOf(session) }));
    expect(await readState(rows, session)).toEqual({ ...before, ...changed });
  });

  test('a closed vault is not active, until it is created again', async () => {
    const session = await rows.createSession();
    const { vaultPda: vault } = session;
    const wallet = () =>
      rows.db.one(sql.unsafe`
        select status, active_slot as "activeSlot", closed_slot as "closedSlot" from wallet
        where wallet_id = ${session.walletId}::uuid
      `);
    const closed = { name: 'VaultClosed', data: { vault, owner: newAddress() } };
    const created = { name: 'VaultInitialized', data: { vault, max_deployed_fraction_bp: 0 } };
    await applyEvents(rows.db, transactionOf(closed));
    const inactive = { status: 'pending', activeSlot: null, closedSlot: 4_000n };
    expect(await wallet()).toEqual(inactive);
    // A read from before the closing, then the creation of the closed vault, which comes late.
    await markWalletActive(rows.db, { walletId: session.walletId, slot: 3_999n });
    expect(await wallet()).toEqual(inactive);
    await applyEvents(rows.db, { ...transactionOf(created), slot: 3_000n });
    expect(await wallet()).toEqual(inactive);
    await applyEvents(rows.db, { ...transactionOf(created), slot: 5_000n });
    expect(await wallet()).toEqual({ status: 'active', activeSlot: 5_000n, closedSlot: null });
  });

  test('a vault that is closed and created again in one transaction is active', async () => {
    const session = await rows.createSession();
    const { vaultPda: vault } = session;
    const closed = { name: 'VaultClosed', data: { vault, owner: newAddress() } };
    const created = { name: 'VaultInitialized', data: { vault, max_deployed_fraction_bp: 9 } };
    await applyEvents(rows.db, transactionOf(closed, created));
    expect(await readState(rows, session)).toMatchObject({ walletStatus: 'active', fraction: 9 });
  });

  test.each(['live', 'awaiting'])('a revoked session stays revoked, %s before', async (before) => {
    const session = before === 'live' ? await rows.createSession() : await awaiting(rows);
    const revoked = { name: 'SessionRevoked', data: ofSession(session) };
    await applyEvents(rows.db, transactionOf(revoked));
    await applyEvents(rows.db, transactionOf(sessionAdded(session)));
    expect(await readState(rows, session)).toMatchObject({
      status: 'revoked',
      revokedSlot: 4_000n,
    });
  });

  test('several events of one transaction are applied in their order', async () => {
    const session = await awaiting(rows);
    const recipients = [newAddress()];
    const updated = {
      name: 'SessionAllowlistUpdated',
      data: ofSession(session, { recipients }),
    };
    const applied = await applyEvents(rows.db, transactionOf(sessionAdded(session), updated));
    expect(applied.map(({ name }) => name)).toEqual(['SessionAdded', 'SessionAllowlistUpdated']);
    expect(await readState(rows, session)).toMatchObject({ status: 'live', recipients });
  });
});

describe('a transaction that is read again', () => {
  test('changes nothing', async () => {
    const session = await awaiting(rows);
    const transaction = transactionOf(sessionAdded(session));
    expect(await applyEvents(rows.db, transaction)).toHaveLength(1);
    const [state, audit] = [await readState(rows, session), await readAudit(rows, session)];
    expect(await applyEvents(rows.db, { ...transaction, slot: 9_999n })).toEqual([]);
    expect(await readState(rows, session)).toEqual(state);
    expect(await readAudit(rows, session)).toEqual(audit);
  });

  test('by eight followers at once is applied once', async () => {
    const session = await awaiting(rows);
    const transaction = transactionOf(sessionAdded(session));
    const applied = await Promise.all(
      Array.from({ length: 8 }, () => applyEvents(rows.db, transaction)),
    );
    expect(applied.flat()).toHaveLength(1);
    expect(await readAudit(rows, session)).toHaveLength(1);
  });
});

test('events of an unknown vault are stored and change no other row', async () => {
  const stranger = { ...(await rows.createSession()), vaultPda: newAddress() };
  const before = await readState(rows, stranger);
  const transaction = transactionOf({ name: 'SessionRevoked', data: ofSession(stranger) });
  expect(await applyEvents(rows.db, transaction)).toHaveLength(1);
  expect(await readState(rows, stranger)).toEqual(before);
  expect(await readAudit(rows, stranger)).toEqual([]);
});

test('the cursor moves forward and never back', async () => {
  expect((await readPosition(rows.db)).cursor).toBeNull();
  for (const slot of [5n, 9n, 7n]) await writeCursor(rows.db, { slot });
  expect((await readPosition(rows.db)).cursor).toEqual({ slot: 9n });
});
