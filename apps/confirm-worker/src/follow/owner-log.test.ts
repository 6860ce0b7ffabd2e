import { verifyAudit } from '@agent-wallet/audit';
import type { PlainRecord } from '@agent-wallet/chain';
import { sql } from 'slonik';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { newAddress } from '../../../../tests/support/database/made-up-spends.ts';
import { openSpendRows, type SpendRows } from '../../../../tests/support/database/spend-rows.ts';
import { applyEvents } from './apply-events.ts';
import {
  awaiting,
  ofSession,
  readAudit,
  sessionAdded,
  transactionOf,
} from '../../fixtures/owner-events.ts';

let rows: SpendRows;
beforeAll(async () => {
  rows = await openSpendRows();
});
afterAll(() => rows[Symbol.asyncDispose]());

describe('the log', () => {
  test('has one row for each action of the owner, with its signature', async () => {
    const session = await awaiting(rows);
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
    expect(await readAudit(rows, session)).toEqual(expected);
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
      expect(await readAudit(rows, session)).toEqual([]);
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
    expect(await readAudit(rows, session)).toMatchObject([
      { action: 'yield_withdraw', amount: 5n },
    ]);
  });
});
