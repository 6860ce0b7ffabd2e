import type { Spend } from '@agent-wallet/spend';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type Confirming, createConfirming } from '../support/chain/confirming.ts';
import {
  chainTransaction,
  createScriptedChain,
  type ScriptedChain,
} from '../support/chain/scripted-chain.ts';
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

describe('a final outcome that is not the confirmed one', () => {
  test('failed first and succeeded at last: the refusal is corrected', async () => {
    const spend = await landed(rows, 'reverted');
    chain.statuses.set(signatureOf(spend), status(null, 'finalized'));
    await worker.finalize();
    await expectSpend(rows, spend, { status: 'confirmed', code: null });
    expect(await rows.auditOf(spend.spendId)).toEqual([
      { correction: 0, decision: 'deny', reason: 'DailyCapExceeded' },
      { correction: 1, decision: 'allow', reason: 'LANDED_AFTER_REVERT' },
    ]);
    await worker.finalize();
    await expectSpend(rows, spend, { status: 'finalized' });
    expect(await worker.alerts()).toEqual({ final_outcome_differs: 1, landed_after_refusal: 1 });
    await expectWholeLog(rows, spend);
  });

  test('succeeded first and failed at last: the confirmation is taken back', async () => {
    const spend = await landed(rows);
    const signature = signatureOf(spend);
    chain.statuses.set(signature, status({ InstructionError: [0, 'Custom'] }, 'confirmed'));
    await worker.finalize();
    await expectSpend(rows, spend, { status: 'confirmed' });
    chain.statuses.set(signature, status({ InstructionError: [0, 'Custom'] }, 'finalized'));
    await worker.finalize();
    await expectSpend(rows, spend, { status: 'confirmed' });
    chain.transactions.set(signature, chainTransaction({ err: 'InsufficientFundsForFee' }));
    await worker.finalize();
    await expectSpend(rows, spend, { status: 'rejected', code: 'FORKED_OUT' });
    expect(await rows.auditOf(spend.spendId)).toEqual([ALLOW, FORKED_OUT]);
  });

  test('failed first and gone at last: refused as it was, for good', async () => {
    const spend = await goneFromTheChain(rows, worker, 'reverted');
    chain.finalized = PAST_EXPIRY;
    await watchNow(rows, worker);
    await expectSpend(rows, spend, { status: 'rejected', code: 'DailyCapExceeded' });
    expect((await rows.read(spend.spendId)).finalizedAt).not.toBeNull();
    expect(await rows.auditOf(spend.spendId)).toHaveLength(1);
  });

  test('failed first, gone, and then landed: the refusal is corrected', async () => {
    const spend = await goneFromTheChain(rows, worker, 'reverted');
    chain.statuses.set(signatureOf(spend), status(null, 'confirmed'));
    await watchNow(rows, worker);
    await expectSpend(rows, spend, { status: 'confirmed' });
    expect((await rows.auditOf(spend.spendId)).at(-1)?.reason).toBe('LANDED_AFTER_REVERT');
  });
});

test('landings that never become final hold up none behind them', async () => {
  const session = await rows.createSession();
  const stuck: Spend[] = [];
  for (let index = 0; index < 260; index += 1) {
    const spend = await landed(rows, 'confirmed', session);
    stuck.push(await settledAgo(rows, spend.spendId, 3_600));
    chain.statuses.set(signatureOf(spend), status(null, 'confirmed'));
  }
  const last = await landed(rows, 'confirmed', session);
  chain.statuses.set(signatureOf(last), status(null, 'finalized'));
  await worker.finalize();
  await worker.finalize();
  await expectSpend(rows, last, { status: 'finalized' });
  const [first] = stuck;
  expect(first && (await rows.read(first.spendId))).toMatchObject({ status: 'confirmed' });
});
