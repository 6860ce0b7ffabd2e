import { verifyAudit } from '@agent-wallet/audit';
import type { PlainRecord, ProgramEvent, ProgramTransaction } from '@agent-wallet/chain';
import { sql } from 'slonik';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import {
  newAddress,
  newSignature,
  openSpendRows,
  type RowSession,
  type SpendRows,
} from '../../../../tests/support/database/spend-rows.ts';
import { markWalletActive } from '@agent-wallet/wallet';
import { applyEvents } from './apply-events.ts';
import { readPosition, writeCursor } from './position.ts';

let rows: SpendRows;
beforeAll(async () => {
  rows = await openSpendRows();
});
afterAll(() => rows[Symbol.asyncDispose]());

function transactionOf(
  ...events: readonly { readonly name: string; readonly data: PlainRecord }[]
): ProgramTransaction {
  const placed = events.map((event, innerIndex): ProgramEvent => ({
    ...event,
    instructionIndex: 0,
    innerIndex,
  }));
  return { signature: newSignature(), slot: 4_000n, err: null, events: placed };
}

/** A session that its owner has not signed yet, requested with other limits. */
async function awaiting(): Promise<RowSession> {
  const session = await rows.createSession();
  await rows.db.query(sql.unsafe`
    update session set status = 'awaiting_owner_signature', live_slot = null, session_index = null
    where session_id = ${session.sessionId}::uuid
  `);
  await rows.db.query(sql.unsafe`
    update wallet set status = 'pending', active_slot = null
    where wallet_id = ${session.walletId}::uuid
  `);
  return session;
}

const RECIPIENTS = [newAddress(), newAddress()];
const ofSession = ({ vaultPda, sessionPda }: RowSession, more: PlainRecord = {}): PlainRecord => ({
  vault: vaultPda,
  session: sessionPda,
  ...more,
});
const sessionAdded = (session: RowSession): { name: string; data: PlainRecord } => ({
  name: 'SessionAdded',
  data: ofSession(session, {
    index: 7n,
    max_per_tx: 11n,
    daily_cap: 22n,
    expiry: 33n,
    allowed_instructions: 3,
    recipients: RECIPIENTS,
  }),
});

const stateRow = z.object({
  walletStatus: z.string(),
  activeSlot: z.bigint().nullable(),
  fraction: z.number(),
  status: z.string(),
  liveSlot: z.bigint().nullable(),
  revokedSlot: z.bigint().nullable(),
  index: z.bigint().nullable(),
  maxPerTx: z.bigint(),
  dailyCap: z.bigint(),
  expiry: z.bigint(),
  bits: z.number(),
  recipients: z.array(z.string()),
});

function readState({ sessionId }: RowSession): Promise<z.output<typeof stateRow>> {
  return rows.db.one(sql.type(stateRow)`
    select wallet.status as "walletStatus", active_slot as "activeSlot",
      max_deployed_fraction_bp as fraction, session.status, live_slot as "liveSlot",
      revoked_slot as "revokedSlot", session_index as index, max_per_tx as "maxPerTx",
      daily_cap as "dailyCap", expiry, allowed_instructions as bits,
      allowed_recipients as recipients
    from session join wallet on wallet.wallet_id = session.wallet_id
    where session_id = ${sessionId}::uuid
  `);
}

const auditRow = z.object({
  action: z.string(),
  decision: z.string(),
  txSignature: z.string(),
  spendId: z.null(),
  amount: z.bigint().nullable(),
  recipient: z.string().nullable(),
});
const readAudit = ({ walletId }: RowSession): Promise<readonly z.output<typeof auditRow>[]> =>
  rows.db.any(sql.type(auditRow)`
    select action, decision, tx_signature as "txSignature", spend_id as "spendId", amount,
      recipient
    from audit
    where wallet_id = ${walletId}::uuid order by seq
  `);

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
    const session = state === 'live' ? await rows.createSession() : await awaiting();
    const before = await readState(session);
    await applyEvents(rows.db, transactionOf({ name, data: dataOf(session) }));
    expect(await readState(session)).toEqual({ ...before, ...changed });
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
    expect(await readState(session)).toMatchObject({ walletStatus: 'active', fraction: 9 });
  });

  test.each(['live', 'awaiting'])('a revoked session stays revoked, %s before', async (before) => {
    const session = before === 'live' ? await rows.createSession() : await awaiting();
    const revoked = { name: 'SessionRevoked', data: ofSession(session) };
    await applyEvents(rows.db, transactionOf(revoked));
    await applyEvents(rows.db, transactionOf(sessionAdded(session)));
    expect(await readState(session)).toMatchObject({ status: 'revoked', revokedSlot: 4_000n });
  });

  test('several events of one transaction are applied in their order', async () => {
    const session = await awaiting();
    const recipients = [newAddress()];
    const updated = {
      name: 'SessionAllowlistUpdated',
      data: ofSession(session, { recipients }),
    };
    const applied = await applyEvents(rows.db, transactionOf(sessionAdded(session), updated));
    expect(applied.map(({ name }) => name)).toEqual(['SessionAdded', 'SessionAllowlistUpdated']);
    expect(await readState(session)).toMatchObject({ status: 'live', recipients });
  });
});

describe('the log', () => {
  test('has one row for each action of the owner, with its signature', async () => {
    const session = await awaiting();
    const vault = session.vaultPda;
    const owner = newAddress();
    const moved = { vault, session: null, spend_id: '0'.repeat(32), amount: 2n ** 64n - 1n };
    const steps: readonly [
      string,
      { name: string; data: PlainRecord },
      { amount?: bigint; recipient?: string }?,
    ][] = [
      ['init_vault', { name: 'VaultInitialized', data: { vault, max_deployed_fraction_bp: 0 } }],
      ['add_session', sessionAdded(session)],
      [
        'update_session_allowlist',
        { name: 'SessionAllowlistUpdated', data: ofSession(session, { recipients: [] }) },
      ],
      [
        'update_session_limits',
        {
          name: 'SessionLimitsUpdated',
          data: ofSession(session, {
            max_per_tx: 1n,
            daily_cap: 2n,
            expiry: 3n,
            allowed_instructions: 0,
          }),
        },
      ],
      [
        'set_max_deployed_fraction',
        { name: 'MaxDeployedFractionSet', data: { vault, max_deployed_fraction_bp: 1 } },
      ],
      ['init_yield', { name: 'YieldInitialized', data: { vault } }],
      [
        'yield_deposit',
        { name: 'YieldDeposited', data: { ...moved, liquidity_delta: 40n } },
        { amount: 40n },
      ],
      [
        'yield_withdraw',
        { name: 'YieldWithdrawn', data: { ...moved, liquidity_delta: 41n } },
        { amount: 41n },
      ],
      [
        'owner_withdraw',
        { name: 'OwnerWithdrew', data: { vault, owner, amount: 2n ** 64n - 1n } },
        { amount: 2n ** 64n - 1n, recipient: owner },
      ],
      ['set_paused', { name: 'PausedSet', data: { vault, paused: true } }],
      ['revoke_session', { name: 'SessionRevoked', data: ofSession(session) }],
      ['migrate_vault', { name: 'VaultMigrated', data: { vault, version: 2 } }],
      [
        'sweep_token_account',
        {
          name: 'TokenAccountSwept',
          data: { vault, owner, token_account: newAddress(), mint: newAddress(), amount: 8n },
        },
        { amount: 8n, recipient: owner },
      ],
      [
        'sweep_lamports',
        { name: 'LamportsSwept', data: { vault, owner, amount: 7n } },
        { amount: 7n, recipient: owner },
      ],
      ['close_vault', { name: 'VaultClosed', data: { vault, owner } }],
    ];
    const expected: object[] = [];
    for (const [action, event, { amount = null, recipient = null } = {}] of steps) {
      const transaction = transactionOf(event);
      await applyEvents(rows.db, transaction);
      const { signature: txSignature } = transaction;
      expected.push({ action, decision: 'allow', txSignature, spendId: null, amount, recipient });
    }
    expect(await readAudit(session)).toEqual(expected);
    expect(await verifyAudit(rows.db, session.walletId)).toEqual({ kind: 'intact', rows: 15n });
  });

  test.each(['UsdcTransferred', 'YieldDeposited', 'YieldWithdrawn'])(
    'has no row for %s of a session, which has its decision already',
    async (name) => {
      const session = await rows.createSession();
      const spendId = crypto.randomUUID();
      const spend_id = spendId.replaceAll('-', '');
      const amount = 2n ** 64n - 1n;
      const data = ofSession(session, { spend_id, spend_seq: 1n, amount, liquidity_delta: 1n });
      await applyEvents(rows.db, transactionOf({ name, data }));
      expect(await readAudit(session)).toEqual([]);
      const stored = await rows.db.one(sql.unsafe`
        select spend_id as "spendId", data ->> 'amount' as amount,
          reconcile_at is not null as "isDue"
        from program_event
        where session_pda = ${session.sessionPda}
      `);
      expect(stored).toEqual({ spendId, amount: '18446744073709551615', isDue: true });
    },
  );

  test('an owner’s event with the id of a spend does not count as that spend', async () => {
    const session = await rows.createSession();
    const spend_id = crypto.randomUUID().replaceAll('-', '');
    const data = { vault: session.vaultPda, session: null, spend_id, liquidity_delta: 5n };
    await applyEvents(rows.db, transactionOf({ name: 'YieldWithdrawn', data }));
    const stored = await rows.db.one(sql.unsafe`
      select spend_id as "spendId", session_pda as session, reconcile_at as "reconcileAt"
      from program_event where vault = ${session.vaultPda}
    `);
    expect(stored).toEqual({ spendId: null, session: null, reconcileAt: null });
    expect(await readAudit(session)).toMatchObject([{ action: 'yield_withdraw', amount: 5n }]);
  });
});

describe('a transaction that is read again', () => {
  test('changes nothing', async () => {
    const session = await awaiting();
    const transaction = transactionOf(sessionAdded(session));
    expect(await applyEvents(rows.db, transaction)).toHaveLength(1);
    const [state, audit] = [await readState(session), await readAudit(session)];
    expect(await applyEvents(rows.db, { ...transaction, slot: 9_999n })).toEqual([]);
    expect(await readState(session)).toEqual(state);
    expect(await readAudit(session)).toEqual(audit);
  });

  test('by eight followers at once is applied once', async () => {
    const session = await awaiting();
    const transaction = transactionOf(sessionAdded(session));
    const applied = await Promise.all(
      Array.from({ length: 8 }, () => applyEvents(rows.db, transaction)),
    );
    expect(applied.flat()).toHaveLength(1);
    expect(await readAudit(session)).toHaveLength(1);
  });
});

test('events of an unknown vault are stored and change no other row', async () => {
  const stranger = { ...(await rows.createSession()), vaultPda: newAddress() };
  const before = await readState(stranger);
  const transaction = transactionOf({ name: 'SessionRevoked', data: ofSession(stranger) });
  expect(await applyEvents(rows.db, transaction)).toHaveLength(1);
  expect(await readState(stranger)).toEqual(before);
  expect(await readAudit(stranger)).toEqual([]);
});

test('the cursor moves forward and never back', async () => {
  expect((await readPosition(rows.db)).cursor).toBeNull();
  for (const slot of [5n, 9n, 7n]) await writeCursor(rows.db, { slot });
  expect((await readPosition(rows.db)).cursor).toEqual({ slot: 9n });
});
