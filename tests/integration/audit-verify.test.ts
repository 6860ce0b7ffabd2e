import { createWalletProgram } from '@agent-wallet/chain';
import type { Spend } from '@agent-wallet/spend';
import { type QuerySqlToken, sql } from 'slonik';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { verifyCommand } from '../../apps/cli/src/operator/audit/verify-command.ts';
import { applyEvents } from '../../apps/confirm-worker/src/follow/apply-events.ts';
import { writeCursor } from '../../apps/confirm-worker/src/follow/position.ts';
import { forgeLog, hashAnew } from '../support/database/forge-log.ts';
import { newAddress, newSignature } from '../support/database/made-up-spends.ts';
import { openSpendRows, type RowSession, type SpendRows } from '../support/database/spend-rows.ts';
import { finalize, type SpendState } from '../support/database/spend-states.ts';

const DEPLOYMENT = {
  programId: 'bPnk5YbjddraY6VFyhAFS5at5FXNjEtCoDARzTL8jBm',
  usdcMint: '4zMMC9srt5Ri5X14GAgXhaHii3GnPAEERYPJgZJDncDU',
};
const { addresses } = createWalletProgram(DEPLOYMENT);

let rows: SpendRows;
let session: RowSession;
/** A wallet's spends in the order of its log. */
let paid: Spend;
let refused: Spend;
beforeEach(async () => {
  rows = await openSpendRows();
  session = await rows.createSession();
  const owner = newAddress();
  const vaultPda = addresses.vaultPda(owner);
  await rows.db.query(sql.unsafe`
    update wallet set owner = ${owner}, vault_pda = ${vaultPda},
      vault_usdc_ata = ${addresses.usdcAta(vaultPda)}
    where wallet_id = ${session.walletId}::uuid
  `);
  session = { ...session, vaultPda };
  await followOwnerEvent();
  paid = await spendIn('confirmed');
  await followTransfer(paid);
  refused = await spendIn('refused in preflight');
  await spendIn('forked out');
  await spendIn('in flight');
  const corrected = await spendIn('reverted');
  await rows.settle(corrected, { kind: 'landed_ok' });
  await followTransfer(await rows.read(corrected.spendId));
  await finalize(rows, paid.spendId);
  await writeCursor(rows.db, { slot: 5_000n });
  await anHourPasses();
});
afterEach(() => rows[Symbol.asyncDispose]());

const spendIn = (state: SpendState): Promise<Spend> => rows.spendIn(state, session);

async function followTransfer(spend: Spend, signature = spend.txSignature ?? ''): Promise<void> {
  const data = {
    vault: session.vaultPda,
    session: session.sessionPda,
    session_index: 0n,
    spend_seq: spend.spendSeq ?? 1n,
    spend_id: spend.spendId.replaceAll('-', ''),
    amount: spend.amount,
    recipient: spend.recipient,
  };
  const event = { name: 'UsdcTransferred', data, instructionIndex: 0, innerIndex: 0 };
  await applyEvents(rows.db, { signature, slot: 2_000n, err: null, events: [event] });
}

async function followOwnerEvent(): Promise<void> {
  const data = { vault: session.vaultPda, paused: false };
  const event = { name: 'PausedSet', data, instructionIndex: 0, innerIndex: 0 };
  const signature = newSignature();
  await applyEvents(rows.db, { signature, slot: 1_000n, err: null, events: [event] });
}

async function anHourPasses(): Promise<void> {
  await rows.db.query(sql.unsafe`update spend set settled_at = settled_at - interval '1 hour'`);
  await rows.db.query(sql.unsafe`update program_event set seen_at = seen_at - interval '1 hour'`);
}

async function verify(walletId: string | null = null): Promise<readonly [number, string]> {
  const config = { databaseUrl: rows.url, ...DEPLOYMENT, rpcUrls: null };
  const { exitCode, text } = await verifyCommand(config, walletId);
  return [exitCode, String(text)];
}

describe('an honest log', () => {
  test('is told in one line', async () => {
    const [code, line] = await verify();
    expect(line).toBe(
      'all equal: wallets 1, log rows 7; ' +
        'the chain was not compared, because RPC_URL is not set',
    );
    expect(code).toBe(0);
    expect(await verify(session.walletId)).toEqual([0, line]);
  });

  test('may be ahead of the follower', async () => {
    await rows.db.query(sql.unsafe`update program_cursor set slot = 1999`);
    await rows.db.query(sql.unsafe`delete from program_event where spend_id is not null`);
    const [code, line] = await verify();
    expect(line).toContain('not followed yet 2');
    expect(code).toBe(0);
  });

  test('needs no stored event of a spend that the follower matched without it', async () => {
    await rows.db.query(
      sql.unsafe`delete from program_event where spend_id = ${paid.spendId}::uuid`,
    );
    expect((await verify())[0]).toBe(1);
    await rows.setSpend(paid.spendId, sql.fragment`event_joined_at = now()`);
    const [code, line] = await verify();
    expect(line).toMatch(/^all equal: wallets 1, log rows 7; the chain/);
    expect(code).toBe(0);
  });

  test('of a wallet that does not exist cannot be verified', async () => {
    const walletId = '00000000-0000-0000-0000-000000000001';
    await expect(verify(walletId)).rejects.toThrow(`There is no wallet ${walletId}.`);
  });

  test('of another program cannot be verified', async () => {
    await rows.db.query(sql.unsafe`
      insert into deployment (genesis_hash, program_id, usdc_mint)
      values ('genesis', 'another program', ${DEPLOYMENT.usdcMint})
    `);
    await expect(verify()).rejects.toThrow(/^This database belongs to program another program/);
  });
});

type Forgery = {
  readonly statements: () => readonly QuerySqlToken[];
  /** The forger has computed all hashes anew. */
  readonly isHashedAnew?: boolean;
  readonly found: () => string;
};

const logOfPaid = (): QuerySqlToken =>
  sql.unsafe`update audit set amount = 999 where spend_id = ${paid.spendId}::uuid`;
const spendOfPaid = (): QuerySqlToken =>
  sql.unsafe`update spend set amount = 999 where spend_id = ${paid.spendId}::uuid`;

describe('a forgery is found and named', () => {
  test.each<[string, Forgery]>([
    [
      'an edited amount',
      { statements: () => [logOfPaid()], found: () => 'log row 2: row was changed' },
    ],
    [
      'a removed row',
      {
        statements: () => [sql.unsafe`delete from audit where spend_id = ${paid.spendId}::uuid`],
        found: () => 'log row 2: row missing',
      },
    ],
    [
      'an edited amount under new hashes',
      {
        statements: () => [logOfPaid()],
        isHashedAnew: true,
        found: () => 'log row 2: amount is 999, its spend says 100',
      },
    ],
    [
      'an edited amount in log and spend under new hashes',
      {
        statements: () => [logOfPaid(), spendOfPaid()],
        isHashedAnew: true,
        found: () => "log row 2: amount is 999, the program's event says 100",
      },
    ],
    [
      'another recipient in the spend',
      {
        statements: () => [
          sql.unsafe`update spend set recipient = 'me' where spend_id = ${paid.spendId}::uuid`,
        ],
        found: () => `log row 2: recipient is ${paid.recipient}, its spend says me`,
      },
    ],
    [
      'another signature in the spend',
      {
        statements: () => [
          sql.unsafe`update spend set tx_signature = 's' where spend_id = ${paid.spendId}::uuid`,
        ],
        found: () => `log row 2: tx_signature is ${paid.txSignature}, its spend says s`,
      },
    ],
    [
      'a refused spend called paid',
      {
        statements: () => [
          sql.unsafe`update spend set status = 'finalized', tx_signature = 's', landed_slot = 1
            where spend_id = ${refused.spendId}::uuid`,
        ],
        found: () => 'log row 3: it says deny, its spend is finalized',
      },
    ],
    [
      'an open spend called paid, without a decision',
      {
        statements: () => [
          sql.unsafe`update spend set status = 'finalized', settled_at = now(), landed_slot = 1
            where status = 'in_flight'`,
        ],
        found: () => 'is finalized, and the log has no decision on it',
      },
    ],
    [
      'a removed event',
      {
        statements: () => [
          sql.unsafe`delete from program_event where spend_id = ${paid.spendId}::uuid`,
        ],
        found: () => `log row 2: there is no event of the program for ${paid.txSignature}`,
      },
    ],
    [
      'a removed event of the owner',
      {
        statements: () => [sql.unsafe`delete from program_event where spend_id is null`],
        found: () => 'log row 1: there is no event of the program for',
      },
    ],
    [
      'another token account',
      {
        statements: () => [sql.unsafe`update wallet set vault_usdc_ata = 'mine'`],
        found: () => "its token account is mine, the vault's is",
      },
    ],
  ])('%s', async (_case, { statements, isHashedAnew, found }) => {
    await forgeLog(rows.db, statements());
    if (isHashedAnew === true) await hashAnew(rows.db, session.walletId);
    const [code, line] = await verify();
    expect(line).toContain(found());
    expect(line).toMatch(new RegExp(`^wallet ${session.walletId}: `));
    expect(code).toBe(1);
  });

  test('an event without a row in the log', async () => {
    await followTransfer(paid, 'unknown signature');
    expect((await verify())[0]).toBe(0);
    await anHourPasses();
    const [code, line] = await verify();
    expect(line).toContain('UsdcTransferred of unknown signature in slot 2000 has no row');
    expect(code).toBe(1);
  });
});

type Told = { readonly name: string; readonly data: Record<string, bigint | string | null> };
const EVERYTHING = 2n ** 64n - 1n;
const withdrew = (amount: bigint): Told => ({ name: 'OwnerWithdrew', data: { amount } });
const yielded = (name: string, moved: bigint): Told => ({
  name,
  data: { amount: EVERYTHING, liquidity_delta: moved, session: null, spend_id: '0'.repeat(32) },
});

describe('what an owner moved', () => {
  beforeEach(async () => {
    const told = [
      withdrew(5n),
      withdrew(7n),
      yielded('YieldDeposited', 6n),
      yielded('YieldWithdrawn', 9n),
    ];
    const owner = newAddress();
    const events = told.map(({ name, data }, innerIndex) => ({
      name,
      data: { vault: session.vaultPda, owner, ...data },
      instructionIndex: 0,
      innerIndex,
    }));
    const signature = newSignature();
    await applyEvents(rows.db, { signature, slot: 3_000n, err: null, events });
    await anHourPasses();
  });

  test('in one transaction has a row for each event', async () => {
    const [code, line] = await verify();
    expect(line).toContain('all equal: wallets 1, log rows 11');
    expect(code).toBe(0);
  });

  test.each([
    ['owner_withdraw', 7n, 8n, 'amount is 8'],
    ['yield_withdraw', 9n, 1n, 'amount is 1'],
  ])(
    'is told by its event, so that another amount of %s is found',
    async (action, is, told, found) => {
      const forged = sql.unsafe`update audit set amount = ${told.toString()}::numeric
      where action = ${action} and amount = ${is.toString()}::numeric`;
      await forgeLog(rows.db, [forged]);
      await hashAnew(rows.db, session.walletId);
      const [code, line] = await verify();
      expect(line).toContain(found);
      expect(code).toBe(1);
    },
  );
});
