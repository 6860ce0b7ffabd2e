import type { AccountSnapshot } from '@agent-wallet/chain';
import { appendAudit } from '@agent-wallet/audit';
import { AccountLayout, AccountState, TOKEN_PROGRAM_ID } from '@solana/spl-token';
import { PublicKey } from '@solana/web3.js';
import { sql } from 'slonik';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { type RowSession, useSpendRows } from '../../../../tests/support/database/spend-rows.ts';
import { runSender, useWebhookWorld } from '../../fixtures/webhook-world.ts';
import { createLookAfterWebhooks } from './look-after-webhooks.ts';
import { createWatchBalances } from './watch-balances.ts';

const rows = await useSpendRows();
const { db } = rows;
const world = await useWebhookWorld(db);
const sender = world.sender();
const run = () => runSender(sender);

/** Balances of token accounts; every other is 0. */
const balances = new Map<string, bigint>();
const node = {
  isDown: false,
  calls: 0,
  accounts: async (addresses: readonly string[]) => {
    node.calls += 1;
    if (node.isDown) throw new Error('the node is down');
    return { slot: 1n, accounts: addresses.map((address) => accountOf(address)) };
  },
};
const lookAfter = createLookAfterWebhooks({
  db,
  watchBalances: createWatchBalances({ db, rpc: node }),
  metrics: world.metrics,
});

function accountOf(address: string): AccountSnapshot | null {
  const amount = balances.get(address);
  if (amount === undefined) return null;
  const data = Buffer.alloc(AccountLayout.span);
  const zero = PublicKey.default;
  AccountLayout.encode(
    {
      mint: zero,
      owner: zero,
      amount,
      delegateOption: 0,
      delegate: zero,
      state: AccountState.Initialized,
      isNativeOption: 0,
      isNative: 0n,
      delegatedAmount: 0n,
      closeAuthorityOption: 0,
      closeAuthority: zero,
    },
    data,
  );
  return { address, owner: TOKEN_PROGRAM_ID.toBase58(), lamports: 1n, data };
}

const refuse = (session: RowSession, amount: bigint, reason = 'DailyCapExceeded') =>
  db.transaction((tx) =>
    appendAudit(tx, session.walletId, [
      {
        sessionId: session.sessionId,
        spendId: null,
        correction: 0,
        action: 'transfer',
        amount,
        recipient: null,
        recipientOrUrl: null,
        decision: 'deny',
        reason,
        detail: null,
        txSignature: null,
        detailSignature: null,
      },
    ]),
  );

const webhookOf = ({ walletId }: RowSession) =>
  world.createWebhook(walletId, ['session.daily_cap_reached']);

describe('session.daily_cap_reached', () => {
  it('is sent once in 24 hours for a session that the cap refuses', async () => {
    const session = await rows.createSession();
    const { receiver, webhookId } = await webhookOf(session);
    await refuse(session, 7n, 'RecipientNotAllowed');
    await run();
    expect(receiver.got).toEqual([]);
    await refuse(session, 7n);
    await refuse(session, 7n);
    await run();
    await refuse(session, 7n);
    await run();
    const { walletId, sessionId } = session;
    expect(receiver.got.map(({ event }) => event)).toMatchObject([
      {
        type: 'session.daily_cap_reached',
        data: { wallet_id: walletId, session_id: sessionId, daily_cap: '5000000' },
      },
    ]);
    await db.query(sql.unsafe`
      update webhook_delivery set created_at = now() - interval '25 hours'
      where endpoint_id = ${webhookId}::uuid
    `);
    await refuse(session, 7n);
    await run();
    expect(receiver.got).toHaveLength(2);
  });

  it('is not sent for an amount above the whole cap', async () => {
    const session = await rows.createSession();
    const { receiver } = await webhookOf(session);
    await refuse(session, 5_000_001n);
    await run();
    expect(receiver.got).toEqual([]);
  });

  it('is sent when settled payments use the cap up', async () => {
    const session = await rows.createSession();
    const { receiver } = await webhookOf(session);
    for (let i = 0; i < 4; i += 1) await rows.spendIn('confirmed', session, { amount: 1_000_000n });
    await rows.spendIn('forked out', session, { amount: 1_000_000n });
    await run();
    expect(receiver.got).toEqual([]);
    await rows.spendIn('confirmed', session, { amount: 1_000_000n });
    await run();
    expect(receiver.got).toHaveLength(1);
  });
});

describe('session.expiring', () => {
  it('is sent once for each expiry of a live session within 24 hours', async () => {
    const session = await rows.createSession();
    const { receiver } = await world.createWebhook(session.walletId, ['session.expiring']);
    const expireIn = async (hours: number): Promise<void> => {
      await rows.setSession(
        session.sessionId,
        sql.fragment`expiry = extract(epoch from now())::bigint + ${hours * 3_600}`,
      );
      await lookAfter();
      await lookAfter();
      await run();
    };
    await expireIn(25);
    await expireIn(-1);
    expect(receiver.got).toEqual([]);
    await expireIn(23);
    const expiry = Number(
      await db.oneFirst(sql.type(z.object({ expiry: z.bigint() }))`
        select expiry from session where session_id = ${session.sessionId}::uuid
      `),
    );
    const { walletId, sessionId } = session;
    const data = { wallet_id: walletId, session_id: sessionId, expiry };
    expect(receiver.got).toMatchObject([{ event: { type: 'session.expiring', data } }]);
    await expireIn(48);
    await expireIn(22);
    expect(receiver.got).toHaveLength(2);
    await rows.setSession(session.sessionId, sql.fragment`status = 'revoked'`);
    await expireIn(21);
    expect(receiver.got).toHaveLength(2);
  });
});

/** A wallet whose balance is at the threshold of its webhook. */
async function watchedWallet(lowBalanceBelow: bigint) {
  const walletId = await rows.createWallet();
  const account = await db.oneFirst(sql.type(z.object({ account: z.string() }))`
    select vault_usdc_ata as account from wallet where wallet_id = ${walletId}::uuid
  `);
  balances.set(account, lowBalanceBelow);
  const webhook = await world.createWebhook(walletId, ['wallet.low_balance'], {
    lowBalanceBelow,
  });
  const holds = async (liquid: bigint): Promise<void> => {
    balances.set(account, liquid);
    await lookAfter();
    await run();
  };
  return { ...webhook, account, holds };
}

describe('wallet.low_balance', () => {
  it('is sent when the balance falls below the threshold, and again after it was well above', async () => {
    const { receiver, walletId, holds } = await watchedWallet(1_000n);
    await holds(1_000n);
    expect(receiver.got).toEqual([]);
    await holds(999n);
    const data = { wallet_id: walletId, liquid: '999', low_balance_below: '1000' };
    expect(receiver.got).toMatchObject([{ event: { type: 'wallet.low_balance', data } }]);
    for (const liquid of [998n, 1_000n, 1_099n, 3n]) await holds(liquid);
    expect(receiver.got).toHaveLength(1);
    await holds(1_100n);
    await holds(0n);
    expect(receiver.got).toHaveLength(2);
  });

  it('takes a missing account for 0, and a node that is down for no balance', async () => {
    const { receiver, account } = await watchedWallet(1n);
    balances.delete(account);
    node.isDown = true;
    await expect(lookAfter()).rejects.toThrow('the node is down');
    await run();
    expect(receiver.got).toEqual([]);
    node.isDown = false;
    await lookAfter();
    await run();
    expect(receiver.got).toMatchObject([{ event: { data: { liquid: '0' } } }]);
  });

  it('asks the chain for all wallets in one call', async () => {
    await watchedWallet(1n);
    await watchedWallet(1n);
    const before = node.calls;
    await lookAfter();
    expect(node.calls).toBe(before + 1);
  });
});

it('a delivery is forgotten after 30 days', async () => {
  const session = await rows.createSession();
  const { webhookId } = await world.createWebhook(session.walletId, ['spend.settled']);
  await rows.spendIn('confirmed', session);
  await rows.spendIn('confirmed', session);
  await run();
  await db.query(sql.unsafe`
    update webhook_delivery set created_at = now() - interval '30 days 1 second'
    where delivery_no = (
      select min(delivery_no) from webhook_delivery where endpoint_id = ${webhookId}::uuid)
  `);
  await lookAfter();
  const { kept } = await db.one(sql.type(z.object({ kept: z.number() }))`
    select count(*)::int as kept from webhook_delivery where endpoint_id = ${webhookId}::uuid
  `);
  expect(kept).toBe(1);
});
