import { isAppError } from '@agent-wallet/errors';
import type { Spend } from '@agent-wallet/spend';
import { sql } from 'slonik';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { type Confirming, createConfirming } from '../support/chain/confirming.ts';
import {
  chainTransaction,
  createScriptedChain,
  type ScriptedChain,
  sessionThatAccepted,
} from '../support/chain/scripted-chain.ts';
import { newSignature } from '../support/database/made-up-spends.ts';
import { expectSpend, openSpendRows, type SpendRows } from '../support/database/spend-rows.ts';
import {
  PAST_EXPIRY,
  ALLOW,
  FORKED_OUT,
  status,
  landed,
  settledAgo,
  signatureOf,
  watchNow,
  watchedAttempts,
  goneFromTheChain,
  expectWholeLog,
} from '../support/chain/landings.ts';

let rows: SpendRows;
let chain: ScriptedChain;
let worker: Confirming;
beforeEach(async () => {
  rows = await openSpendRows();
  chain = createScriptedChain();
  worker = createConfirming(rows, chain);
});
afterEach(() => rows[Symbol.asyncDispose]());

const isChainAway = (error: unknown): boolean => isAppError(error, 'RPC_UNAVAILABLE');

/** Shows the landing of a spend under a signature in slot 2040. */
async function landsAs(signature: string, { spendId, sessionId }: Spend): Promise<void> {
  const session = await rows.db.oneFirst(sql.type(z.object({ pda: z.string() }))`
    select session_pda as pda from session where session_id = ${sessionId}::uuid
  `);
  const id = spendId.replaceAll('-', '');
  const data = { session, session_index: 0n, spend_seq: 1n, spend_id: id };
  const event = { name: 'UsdcTransferred', data, instructionIndex: 0, innerIndex: 0 };
  chain.transactions.set(signature, chainTransaction({ slot: 2_040n }));
  chain.events.set(signature, [event]);
}

describe('a confirmed landing whose signature is gone', () => {
  test('is taken back only after the proof, and nothing is signed again', async () => {
    const spend = await landed(rows);
    const confirmed = { status: 'confirmed', txSignature: spend.txSignature } as const;
    await worker.finalize();
    expect(await watchedAttempts(rows)).toBe(1);
    expect(await watchNow(rows, worker)).toBe(1);
    await expectSpend(rows, spend, confirmed);

    chain.finalized = PAST_EXPIRY;
    chain.isDown = true;
    await expect(watchNow(rows, worker)).rejects.toSatisfy(isChainAway);
    await expect(worker.finalize()).rejects.toSatisfy(isChainAway);
    await expectSpend(rows, spend, confirmed);
    expect(await rows.auditOf(spend.spendId)).toEqual([ALLOW]);

    chain.isDown = false;
    await watchNow(rows, worker);
    await expectSpend(rows, spend, {
      status: 'rejected',
      code: 'FORKED_OUT',
      txSignature: null,
      landedSlot: null,
      attempt: 1,
    });
    expect(await rows.auditOf(spend.spendId)).toEqual([ALLOW, FORKED_OUT]);
    expect(await worker.alerts()).toEqual({ forked_out: 1 });
    expect(worker.nudged).toEqual([spend.walletId]);
    await expectWholeLog(rows, spend);

    await worker.finalize();
    expect(await watchNow(rows, worker)).toBe(0);
    expect(await rows.auditOf(spend.spendId)).toHaveLength(2);
  });

  describe('while its bytes can still land', () => {
    test('has the same bytes sent again, and is confirmed as before once they land', async () => {
      const spend = await goneFromTheChain(rows, worker);
      await watchNow(rows, worker);
      const { wire, broadcasts } = await rows.db.one(
        sql.type(
          z.object({ wire: z.instanceof(Buffer), broadcasts: z.number() }),
        )`select wire, broadcasts from attempt join spend using (spend_id)`,
      );
      expect(worker.resent).toEqual([wire]);
      expect(broadcasts).toBe(1);
      chain.statuses.set(signatureOf(spend), { ...status(null, 'confirmed'), slot: 2_050n });
      await watchNow(rows, worker);
      expect(worker.resent).toHaveLength(1);
      await expectSpend(rows, spend, {
        status: 'confirmed',
        txSignature: spend.txSignature,
        landedSlot: 2_050n,
        attempt: 1,
      });
      expect(await rows.auditOf(spend.spendId)).toEqual([ALLOW]);
      expect(await worker.alerts()).toEqual({});
    });

    test.each<[string, (spend: Spend) => unknown]>([
      [
        'the finalized session has its bit',
        ({ spendSeq }) => (chain.session = sessionThatAccepted(spendSeq ?? 0n)),
      ],
      ['the session is gone', () => (chain.session = null)],
      ['its session is another', () => (chain.session = { ...sessionThatAccepted(), index: 9n })],
      ['its life is over', () => (chain.finalized = PAST_EXPIRY)],
    ])('is not sent again when %s', async (_case, change) => {
      const spend = await goneFromTheChain(rows, worker);
      change(spend);
      await watchNow(rows, worker);
      expect(worker.resent).toEqual([]);
    });

    test('is not sent again when it had failed', async () => {
      await goneFromTheChain(rows, worker, 'reverted');
      expect(await watchedAttempts(rows)).toBe(1);
      await watchNow(rows, worker);
      expect(worker.resent).toEqual([]);
    });

    test('is never sent by us when a facilitator sent it', async () => {
      const spend = await goneFromTheChain(rows, worker, 'facilitated, confirmed');
      expect(await watchedAttempts(rows)).toBe(1);
      await watchNow(rows, worker);
      expect(worker.resent).toEqual([]);
      chain.finalized = PAST_EXPIRY;
      await watchNow(rows, worker);
      await expectSpend(rows, spend, { status: 'rejected', code: 'FORKED_OUT' });
      expect(await rows.auditOf(spend.spendId)).toEqual([ALLOW, FORKED_OUT]);
    });
  });

  test('that a facilitator sent is corrected to the signature under which it stands now', async () => {
    const spend = await goneFromTheChain(rows, worker, 'facilitated, confirmed');
    chain.finalized = PAST_EXPIRY;
    chain.session = sessionThatAccepted(1n);
    const signature = newSignature();
    await landsAs(signature, spend);
    await watchNow(rows, worker);
    await expectSpend(rows, spend, { status: 'confirmed', txSignature: signature });
    const decisions = (await rows.auditOf(spend.spendId)).map(({ decision }) => decision);
    expect(decisions).toEqual(['allow', 'deny', 'allow']);
    await expectWholeLog(rows, spend);
  });

  test('is not looked for again in its first seconds', async () => {
    const spend = await landed(rows);
    await settledAgo(rows, spend.spendId, 5);
    await worker.finalize();
    expect(await watchedAttempts(rows)).toBe(0);
  });

  test('is finalized when the chain shows it again', async () => {
    const spend = await goneFromTheChain(rows, worker);
    chain.statuses.set(signatureOf(spend), status(null, 'confirmed'));
    await watchNow(rows, worker);
    expect(await watchedAttempts(rows)).toBe(0);
    chain.statuses.set(signatureOf(spend), status(null, 'finalized'));
    await worker.finalize();
    await expectSpend(rows, spend, { status: 'finalized', txSignature: spend.txSignature });
    expect(await rows.auditOf(spend.spendId)).toEqual([ALLOW]);
  });

  test('and that stands in a later slot now makes older balances too old', async () => {
    const spend = await goneFromTheChain(rows, worker);
    chain.statuses.set(signatureOf(spend), { ...status(null, 'confirmed'), slot: 2_050n });
    await watchNow(rows, worker);
    await expectSpend(rows, spend, { landedSlot: 2_050n });
    const slot = await rows.db.oneFirst(sql.type(z.object({ slot: z.bigint() }))`
      select last_settled_slot as slot from wallet where wallet_id = ${spend.walletId}::uuid
    `);
    expect(slot).toBe(2_050n);
  });

  test('stays confirmed while only an empty history speaks against it', async () => {
    const spend = await goneFromTheChain(rows, worker);
    chain.finalized = PAST_EXPIRY;
    chain.session = null;
    await watchNow(rows, worker);
    worker.clock.nowMs += 61_000;
    await watchNow(rows, worker);
    expect(await watchedAttempts(rows)).toBe(0);
    await expectSpend(rows, spend, { status: 'confirmed' });
    await settledAgo(rows, spend.spendId, 20);
    await worker.finalize();
    expect(await watchedAttempts(rows)).toBe(1);
    expect(await worker.alerts()).toEqual({});
  });

  test('stays confirmed while its bit is set and no landing shows', async () => {
    const spend = await goneFromTheChain(rows, worker);
    chain.finalized = PAST_EXPIRY;
    chain.session = sessionThatAccepted(spend.spendSeq ?? 0n);
    await watchNow(rows, worker);
    await expectSpend(rows, spend, { status: 'confirmed' });
    expect(await watchedAttempts(rows)).toBe(1);
  });

  test('is corrected to the landing of its other attempt', async () => {
    const spend = await rows.spendIn('in flight');
    await rows.settle(spend, { kind: 'expired' });
    const { signature } = await rows.claim(spend);
    const second = signature ?? '';
    await rows.db.query(sql.unsafe`update attempt set state = 'expired' where attempt = 2`);
    await rows.db.query(sql.unsafe`delete from attempt_watch where attempt = 2`);
    const firstLanded = sql.fragment`status = 'confirmed', tx_signature = ${spend.txSignature},
      landed_slot = 2000, landed_error = false, settled_at = now()`;
    await rows.setSpend(spend.spendId, firstLanded);
    await settledAgo(rows, spend.spendId, 20);
    await worker.finalize();
    expect(await watchedAttempts(rows)).toBe(2);
    chain.finalized = PAST_EXPIRY;
    chain.session = sessionThatAccepted(1n);
    await landsAs(second, spend);
    await watchNow(rows, worker);
    await expectSpend(rows, spend, {
      status: 'confirmed',
      txSignature: second,
      landedSlot: 2_040n,
    });
    const reasons = (await rows.auditOf(spend.spendId)).map(({ reason }) => reason);
    expect(reasons).toEqual(['FORKED_OUT', 'LANDED_AFTER_REJECT']);
  });
});

test('an older attempt’s expiry says nothing about the landing of a newer one', async () => {
  const spend = await rows.spendIn('in flight, second attempt');
  const second = sql.unsafe`update attempt set last_valid_block_height = 1400 where attempt = 2`;
  await rows.db.query(second);
  await rows.settle(spend, { kind: 'landed_ok' });
  await settledAgo(rows, spend.spendId, 20);
  await rows.settle(spend, { kind: 'expired', isFinal: true }, 1);
  await expectSpend(rows, spend, { status: 'confirmed' });
  await rows.settle(spend, { kind: 'expired', isFinal: true }, 2);
  await expectSpend(rows, spend, { status: 'rejected', code: 'FORKED_OUT' });
});
