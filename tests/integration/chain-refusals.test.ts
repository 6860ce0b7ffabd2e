import { setTimeout as delay } from 'node:timers/promises';

import { failureOfSimulation, failureOfTransaction, isReplayRefusal } from '@agent-wallet/chain';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import {
  type Lane,
  ownerAddress,
  program,
  startWalletOnChain,
  stranger,
  type TransferIntent,
  type WalletOnChain,
  withoutAccount,
} from '../support/chain/wallet-on-chain.ts';

describe('the chain package, when the program refuses', () => {
  let wallet: WalletOnChain;
  let lane: Lane;

  beforeAll(async () => {
    wallet = await startWalletOnChain();
    lane = await wallet.openLane();
  });
  afterAll(() => wallet.stop());

  it.each<[string, Partial<TransferIntent>, string | null]>([
    ['RecipientNotAllowed', { recipient: stranger }, null],
    ['AmountExceedsMaxPerTx', { amount: 2_001n }, null],
    ['InvalidAmount', { amount: 0n }, null],
    ['SpendSequenceTooOld', { spendSeq: 0n }, null],
    ['SpendSequenceTooFar', { spendSeq: 2n ** 40n }, null],
    ['SessionMismatch', { sessionIndex: 77n }, null],
    ['AccountNotInitialized', { recipient: withoutAccount }, 'recipient_token_account'],
  ])('reads a refusal in preflight as %s', async (name, change, account) => {
    const failure = await wallet.failureOf(lane, change);
    expect(failure).toMatchObject({ isOurs: true, name, account });
    expect(failure.detail).toContain(name);
    expect(failure.detail).toContain(failure.hex);
    expect(isReplayRefusal(failure)).toBe(name === 'SpendSequenceTooOld');
  });

  it('reads the refusal of a spend_seq that was used, by another spend', async () => {
    const first = await wallet.signedSpend(lane, { spendSeq: 30n });
    await wallet.send(first.wire);
    await wallet.statusOf(first.signature);
    const failure = await wallet.failureOf(lane, { spendSeq: 30n });
    expect(failure.name).toBe('SpendAlreadyExecuted');
    expect(isReplayRefusal(failure)).toBe(true);
  });

  it('reads the refusals of cap, bit, expiry, pause and lack of money', async () => {
    expect(await wallet.refusal(await wallet.openLane({ dailyCap: 99n }))).toBe('DailyCapExceeded');
    expect(await wallet.refusal(await wallet.openLane({ allowedInstructions: 2 }))).toBe(
      'InstructionNotAllowed',
    );
    expect(await wallet.refusal(lane, { amount: 1_500n, spendSeq: 40n })).toMatch(/Insufficient/);

    const soon = BigInt(Math.floor(Date.now() / 1_000)) + 2n;
    const expiring = await wallet.openLane({ expiry: soon });
    let name = await wallet.refusal(expiring, { amount: 2_001n });
    for (let tries = 0; tries < 100 && name !== 'SessionExpired'; tries += 1) {
      await delay(100);
      name = await wallet.refusal(expiring, { amount: 2_001n });
    }
    expect(name).toBe('SessionExpired');

    await wallet.ownerSends(wallet.ownerTransactions().setPaused(ownerAddress, true));
    expect(await wallet.refusal(lane, { spendSeq: 41n })).toBe('VaultPaused');
    await wallet.ownerSends(wallet.ownerTransactions().setPaused(ownerAddress, false));
  });

  it('reads a failure that landed, and the same in a simulation', async () => {
    const spend = await wallet.signedSpend(lane, { amount: 2_001n, spendSeq: 50n });
    const simulation = await wallet.rpcFor().simulate(spend.wire);
    expect(failureOfSimulation(program, spend.wire, simulation)?.name).toBe(
      'AmountExceedsMaxPerTx',
    );
    expect((await wallet.send(spend.wire, true)).kind).toBe('accepted');
    const status = await wallet.statusOf(spend.signature);
    expect(status.err).not.toBeNull();
    const transaction = await wallet.rpcFor().transaction(spend.signature, 'confirmed');
    if (transaction === null) throw new Error('it has landed');
    expect(failureOfTransaction(program, transaction)?.name).toBe('AmountExceedsMaxPerTx');
  });
});
