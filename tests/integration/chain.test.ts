/**
 * The chain package against a real validator with the real program: what is built is accepted,
 * and what happened is found again.
 */

import { setTimeout as delay } from 'node:timers/promises';

import {
  createSharedAccounts,
  createProgramFeed,
  createRpc,
  createSend,
  decideAttempt,
  findLanding,
  tokenAmountOf,
  spendIdOfEvent,
} from '@agent-wallet/chain';
import { applySpend, countedSpend, emptySpendWindow, replayBit } from '@agent-wallet/policy';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import {
  FAR,
  addresses,
  type Lane,
  named,
  ownerAddress,
  program,
  recipient,
  startWalletOnChain,
  stranger,
  vault,
  type WalletOnChain,
  withoutAccount,
} from '../support/chain/wallet-on-chain.ts';
import { waitUntil } from '../support/wait-until.ts';

describe('the chain package on a real chain', () => {
  let wallet: WalletOnChain;
  let lane: Lane;

  beforeAll(async () => {
    wallet = await startWalletOnChain();
    lane = await wallet.openLane();
  });
  afterAll(() => wallet.stop());

  it('reads the vault and the session that the owner made', async () => {
    const { accounts } = await wallet
      .rpcFor()
      .accounts([vault, stranger], { commitment: 'confirmed' });
    expect(accounts[1]).toBeNull();
    if (!accounts[0]) throw new Error('there is no vault');
    expect(program.decodeSession(accounts[0])).toBeNull();
    expect(program.decodeVault({ ...accounts[0], owner: stranger })).toBeNull();
    expect(program.decodeVault(accounts[0])).toMatchObject({
      owner: ownerAddress,
      maxDeployedFractionBp: 8_000,
      paused: false,
      vaultTokenAccount: addresses.usdcAta(vault),
    });
    expect(await wallet.sessionAt(lane.pda)).toMatchObject({
      vault,
      maxPerTx: 2_000n,
      dailyCap: 5_000n,
      expiry: FAR,
      allowedInstructions: 1,
      recipients: [recipient, withoutAccount],
      replay: { highestSeq: 0n },
    });
  });

  it('moves money once, tells of it in an event, and sets the bit', async () => {
    const mine = await wallet.openLane();
    const spend = await wallet.signedSpend(mine, { amount: 300n, spendSeq: 5n });
    const simulated = await wallet.rpcFor().simulate(spend.wire);
    expect(simulated.err).toBeNull();
    expect(simulated.unitsConsumed).toBeGreaterThan(0n);
    expect(await wallet.send(spend.wire)).toEqual({ kind: 'accepted', signature: spend.signature });
    expect(
      decideAttempt({
        spendSeq: 5n,
        sessionIndex: mine.index,
        lastValidBlockHeight: spend.lastValidBlockHeight,
        status: await wallet.statusOf(spend.signature),
        finalized: null,
        session: null,
        seen: null,
      }).kind,
    ).toBe('landed_ok');

    const transaction = await wallet.rpcFor().transaction(spend.signature, 'confirmed');
    if (transaction === null) throw new Error('it has landed');
    const [event, ...others] = program.eventsOf(transaction);
    if (event === undefined) throw new Error('there is no event');
    expect(others).toEqual([]);
    expect(event.name).toBe('UsdcTransferred');
    expect(event.data).toMatchObject({
      vault,
      session: mine.pda,
      session_index: mine.index,
      recipient,
      amount: 300n,
      spend_seq: 5n,
      daily_spent: 300n,
    });
    expect(spendIdOfEvent(event)).toBe(spend.intent.spendId);
    expect(program.eventsOf({ ...transaction, err: 'failed' })).toEqual([]);

    const state = await wallet.sessionAt(mine.pda);
    if (state === null) throw new Error('the session is there');
    expect(replayBit(state.replay, 5n)).toBe('set');
    expect(replayBit(state.replay, 4n)).toBe('clear');
    expect(replayBit(state.replay, 6n)).toBe('clear');
    expect(state.window).toEqual(applySpend(emptySpendWindow(), state.window.lastSeen, 300n));
    expect(countedSpend(state.window, state.window.lastSeen)).toBe(state.dailySpent);

    const again = await wallet.send(spend.wire);
    expect(['already_processed', 'accepted']).toContain(again.kind);
    const search = {
      sessionPda: mine.pda,
      sessionIndex: mine.index,
      spendSeq: 5n,
      spendId: spend.intent.spendId,
      sinceSlot: spend.slot,
      commitment: 'confirmed',
    } as const;
    expect(await findLanding(wallet.rpcFor(), program, search)).toMatchObject({
      kind: 'ours',
      signature: spend.signature,
    });
    const other = { ...search, spendId: crypto.randomUUID() };
    expect(await findLanding(wallet.rpcFor(), program, other)).toMatchObject({
      kind: 'other_spend',
      spendId: spend.intent.spendId,
    });
    expect(await findLanding(wallet.rpcFor(), program, { ...search, spendSeq: 4n })).toEqual({
      kind: 'nothing',
      complete: true,
    });
  });

  it('reads the balances of vault and stranger in one call', async () => {
    const read = createSharedAccounts(wallet.rpcFor());
    const wanted = [addresses.usdcAta(vault), addresses.usdcAta(stranger)];
    const { accounts } = await read(wanted);
    const [ofVault, ofStranger] = accounts.map(tokenAmountOf);
    expect(ofVault).toBeGreaterThan(0n);
    expect(ofStranger).toBe(0n);
  });

  it('follows a new allowlist and a revocation', async () => {
    const mine = await wallet.openLane();
    await wallet.ownerSends(
      wallet.ownerTransactions().updateAllowlist(ownerAddress, named(mine), [stranger]),
    );
    expect((await wallet.sessionAt(mine.pda))?.recipients).toEqual([stranger]);
    await wallet.ownerSends(wallet.ownerTransactions().revokeSession(ownerAddress, named(mine)));
    expect(await wallet.sessionAt(mine.pda)).toBeNull();
    const gone = { name: 'AccountNotInitialized', account: 'session', hex: '0xbc4' };
    expect(await wallet.failureOf(mine)).toMatchObject(gone);
  });

  it('proves the expiry of an attempt that was never sent', async () => {
    const spend = await wallet.signedSpend(lane, { spendSeq: 60n });
    const attempt = {
      spendSeq: 60n,
      sessionIndex: lane.index,
      lastValidBlockHeight: spend.lastValidBlockHeight,
    };
    const rpc = wallet.rpcFor();
    for (let tries = 0; tries < 300; tries += 1) {
      const { statuses } = await rpc.signatureStatuses([spend.signature], { searchHistory: true });
      const status = statuses[0] ?? null;
      const finalized = await rpc.heightAndSlot('finalized');
      const { slot, accounts } = await rpc.accounts([lane.pda], {
        commitment: 'finalized',
        minContextSlot: finalized.slot,
      });
      const state = accounts[0] ? program.decodeSession(accounts[0]) : null;
      const verdict = decideAttempt({
        ...attempt,
        status,
        finalized,
        session: { slot, state },
        seen: null,
      });
      if (verdict.kind === 'expired_proven') break;
      expect(verdict.kind).toBe('pending');
      await delay(100);
    }
    // What was proven to be expired does not land when it is sent after all.
    await wallet.send(spend.wire, true);
    const { slot: sentAt } = await rpc.heightAndSlot('confirmed');
    await waitUntil('twenty slots', async () => {
      return (await rpc.heightAndSlot('confirmed')).slot > sentAt + 20n;
    });
    const { statuses } = await rpc.signatureStatuses([spend.signature], { searchHistory: true });
    expect(statuses[0]).toBeNull();
    const state = await wallet.sessionAt(lane.pda);
    expect(state && replayBit(state.replay, 60n)).toBe('clear');
  });

  it('delivers the whole story in order', async () => {
    await wallet.ownerSends(wallet.ownerTransactions().setPaused(ownerAddress, true));
    await wallet.ownerSends(wallet.ownerTransactions().setPaused(ownerAddress, false));
    const rpc = wallet.rpcFor();
    const feed = createProgramFeed({
      readOnOne: (run) => run(rpc),
      program,
      batchSize: 5,
      overlapSlots: 32n,
    });
    const names: string[] = [];
    let cursor = null;
    for (let reads = 0; reads < 50; reads += 1) {
      const batch = await feed.read({ cursor, place: null, again: [] });
      names.push(...batch.transactions.flatMap(({ events }) => events.map(({ name }) => name)));
      cursor = batch.cursor;
      if (batch.caughtUp) break;
    }
    expect(names.slice(0, 2)).toEqual(['VaultInitialized', 'SessionAdded']);
    expect(names.filter((name) => name === 'UsdcTransferred')).toHaveLength(1);
    expect(names.filter((name) => name === 'SessionRevoked')).toHaveLength(1);
    expect(names.filter((name) => name === 'PausedSet')).toHaveLength(2);
    expect(names.filter((name) => name === 'SessionAllowlistUpdated')).toHaveLength(1);
  });

  it('turns a node that is not there into RPC_UNAVAILABLE, and a send to it into unknown', async () => {
    const calls: string[] = [];
    const onCall = (method: string, outcome: string): number => calls.push(`${method} ${outcome}`);
    const rpc = createRpc({ url: 'http://127.0.0.1:9', timeoutMs: 500, onCall });
    await expect(rpc.genesisHash()).rejects.toThrow('RPC_UNAVAILABLE');
    const spend = await wallet.signedSpend(lane, { spendSeq: 70n });
    const outcome = await createSend(rpc, program)(spend.wire, { skipPreflight: false });
    expect(outcome.kind).toBe('unknown');
    expect(calls).toEqual(['getGenesisHash error', 'sendTransaction error']);
  });
});
