/**
 * The chain package against a real validator with the real program: what is built is accepted,
 * what is refused is read by its name, what happened is found again.
 */

import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

import {
  buildSpendMessage,
  createSharedAccounts,
  createOwnerTransactions,
  createProgramFeed,
  createRpc,
  createSend,
  createWalletProgram,
  decideAttempt,
  failureOfSimulation,
  failureOfTransaction,
  findLanding,
  isReplayRefusal,
  signSpend,
  tokenAmountOf,
  spendIdOfEvent,
  type SessionState,
  type SignedSpend,
  type SignatureStatus,
  type SpendIntent,
  type VaultState,
} from '@agent-wallet/chain';
import { applySpend, countedSpend, emptySpendWindow, replayBit } from '@agent-wallet/policy';
import {
  createAssociatedTokenAccountIdempotentInstruction,
  createMintToInstruction,
} from '@solana/spl-token';
import {
  Keypair,
  PublicKey,
  SystemProgram,
  Transaction,
  VersionedTransaction,
} from '@solana/web3.js';
import bs58 from 'bs58';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { localProgramId, USDC_MINT } from '@agent-wallet/local-system/chain/chain-facts.ts';
import {
  type EmbeddedChain,
  startEmbeddedChain,
} from '@agent-wallet/local-system/chain/embedded-chain.ts';

type SendOutcome = Awaited<ReturnType<ReturnType<typeof createSend>>>;
type TransferIntent = Extract<SpendIntent, { readonly kind: 'transfer' }>;

const program = createWalletProgram({ programId: localProgramId(), usdcMint: USDC_MINT });
const { addresses } = program;
const owner = Keypair.generate();
const ownerAddress = owner.publicKey.toBase58();
const feePayer = Keypair.generate();
const vault = addresses.vaultPda(ownerAddress);
const recipient = Keypair.generate().publicKey.toBase58();
const withoutAccount = Keypair.generate().publicKey.toBase58();
const stranger = Keypair.generate().publicKey.toBase58();
const FAR = 4_000_000_000n;

type Failure = Extract<SendOutcome, { readonly kind: 'refused' }>['failure'];
type Lane = { readonly key: Keypair; readonly pda: string; readonly index: bigint };
const named = ({ pda, index }: Lane) => ({ sessionPda: pda, sessionIndex: index });

describe('the chain package on a real chain', () => {
  let chain: EmbeddedChain;
  let faucet: Keypair;
  let lane: Lane;

  const rpcFor = (): ReturnType<typeof createRpc> =>
    createRpc({ url: chain.rpcUrl, timeoutMs: 5_000 });
  const ownerTransactions = (): ReturnType<typeof createOwnerTransactions> =>
    createOwnerTransactions(program, () => rpcFor().latestBlockhash(), Date.now);

  async function statusOf(signature: string): Promise<SignatureStatus> {
    for (let tries = 0; tries < 200; tries += 1) {
      const { statuses } = await rpcFor().signatureStatuses([signature], { searchHistory: false });
      const status = statuses[0];
      if (status && status.confirmationStatus !== 'processed') return status;
      await delay(50);
    }
    throw new Error(`${signature} never landed`);
  }

  async function land(wire: Uint8Array): Promise<string> {
    const reply = await rpcFor().sendRaw(wire, { skipPreflight: false });
    if (!reply.ok) throw new Error(JSON.stringify(reply));
    const signature = String(reply.result);
    const status = await statusOf(signature);
    expect(status.err).toBeNull();
    return signature;
  }

  async function ownerSends(unsigned: Promise<string>): Promise<string> {
    const transaction = VersionedTransaction.deserialize(Buffer.from(await unsigned, 'base64'));
    transaction.sign([owner]);
    return land(transaction.serialize());
  }

  async function fund(): Promise<void> {
    const { blockhash } = await rpcFor().latestBlockhash();
    const transaction = new Transaction({ recentBlockhash: blockhash, feePayer: faucet.publicKey });
    for (const { publicKey: toPubkey } of [owner, feePayer]) {
      const fromPubkey = faucet.publicKey;
      const lamports = 1_000_000_000;
      transaction.add(SystemProgram.transfer({ fromPubkey, toPubkey, lamports }));
    }
    const mint = new PublicKey(USDC_MINT);
    const payer = faucet.publicKey;
    const vaultAta = new PublicKey(addresses.usdcAta(vault));
    for (const holder of [recipient, vault]) {
      const ata = new PublicKey(addresses.usdcAta(holder));
      transaction.add(
        createAssociatedTokenAccountIdempotentInstruction(payer, ata, new PublicKey(holder), mint),
      );
    }
    transaction.add(createMintToInstruction(mint, vaultAta, payer, 1_000n));
    transaction.sign(faucet);
    await land(transaction.serialize());
  }

  async function openLane(
    change: { allowedInstructions?: number; expiry?: bigint; dailyCap?: bigint } = {},
  ): Promise<Lane> {
    const key = Keypair.generate();
    const sessionPubkey = key.publicKey.toBase58();
    const limits = {
      sessionPubkey,
      maxPerTx: 2_000n,
      dailyCap: 5_000n,
      expiry: FAR,
      allowedInstructions: 1,
      recipients: [recipient, withoutAccount],
      ...change,
    };
    const { nextSessionIndex } = await vaultNow();
    await ownerSends(ownerTransactions().addSession(ownerAddress, limits, nextSessionIndex));
    const pda = addresses.sessionPda(vault, sessionPubkey);
    const state = await sessionAt(pda);
    if (state === null) throw new Error('there is no session');
    return { key, pda, index: state.index };
  }

  async function vaultNow(): Promise<VaultState> {
    const { accounts } = await rpcFor().accounts([vault], { commitment: 'confirmed' });
    const state = accounts[0] ? program.decodeVault(accounts[0]) : null;
    if (state === null) throw new Error('there is no vault');
    return state;
  }

  async function sessionAt(pda: string): Promise<SessionState | null> {
    const { accounts } = await rpcFor().accounts([pda], { commitment: 'confirmed' });
    return accounts[0] ? program.decodeSession(accounts[0]) : null;
  }

  async function signedSpend(
    from: Lane,
    change: Partial<TransferIntent> = {},
  ): Promise<SignedSpend & { intent: TransferIntent; lastValidBlockHeight: bigint; slot: bigint }> {
    const { blockhash, lastValidBlockHeight, slot } = await rpcFor().latestBlockhash();
    const intent: TransferIntent = {
      kind: 'transfer',
      feePayer: feePayer.publicKey.toBase58(),
      sessionPubkey: from.key.publicKey.toBase58(),
      vault,
      recipient,
      amount: 100n,
      spendSeq: 1n,
      sessionIndex: from.index,
      spendId: crypto.randomUUID(),
      blockhash,
      computeUnitLimit: 50_000,
      computeUnitPrice: 0n,
      ...change,
    };
    const messageBytes = buildSpendMessage(program, intent);
    const signed = signSpend(program, { intent, messageBytes, sessionKey: from.key, feePayer });
    return { ...signed, intent, lastValidBlockHeight, slot };
  }

  const send = (wire: Uint8Array, skipPreflight = false) =>
    createSend(rpcFor(), program)(wire, { skipPreflight });

  /** The failure for which the preflight refuses a spend. */
  async function failureOf(from: Lane, change: Partial<TransferIntent> = {}): Promise<Failure> {
    const outcome = await send((await signedSpend(from, change)).wire);
    if (outcome.kind !== 'refused') throw new Error(JSON.stringify(outcome));
    return outcome.failure;
  }

  const refusal = (from: Lane, change?: Partial<TransferIntent>): Promise<string> =>
    failureOf(from, change).then(({ name }) => name, String);

  beforeAll(async () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'chain-test-'));
    // Blocks of 50 ms: an expiry is proven in ten seconds instead of over a minute.
    chain = await startEmbeddedChain({ slotTimeMs: 50, logFile: path.join(folder, 'chain.log') });
    if (!chain.programLoaded) throw new Error('the program has not been built');
    faucet = Keypair.fromSecretKey(bs58.decode(chain.faucetSecretKey));
    await fund();
    await ownerSends(ownerTransactions().initVault(ownerAddress, 8_000, null));
    lane = await openLane();
  });

  afterAll(async () => {
    await chain.stop();
  });

  it('reads the vault and the session that the owner made', async () => {
    const { accounts } = await rpcFor().accounts([vault, stranger], { commitment: 'confirmed' });
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
    expect(await sessionAt(lane.pda)).toMatchObject({
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
    const mine = await openLane();
    const spend = await signedSpend(mine, { amount: 300n, spendSeq: 5n });
    const simulated = await rpcFor().simulate(spend.wire);
    expect(simulated.err).toBeNull();
    expect(simulated.unitsConsumed).toBeGreaterThan(0n);
    expect(await send(spend.wire)).toEqual({ kind: 'accepted', signature: spend.signature });
    expect(
      decideAttempt({
        spendSeq: 5n,
        sessionIndex: mine.index,
        lastValidBlockHeight: spend.lastValidBlockHeight,
        status: await statusOf(spend.signature),
        finalized: null,
        session: null,
        seen: null,
      }).kind,
    ).toBe('landed_ok');

    const transaction = await rpcFor().transaction(spend.signature, 'confirmed');
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

    const state = await sessionAt(mine.pda);
    if (state === null) throw new Error('the session is there');
    expect(replayBit(state.replay, 5n)).toBe('set');
    expect(replayBit(state.replay, 4n)).toBe('clear');
    expect(replayBit(state.replay, 6n)).toBe('clear');
    expect(state.window).toEqual(applySpend(emptySpendWindow(), state.window.lastSeen, 300n));
    expect(countedSpend(state.window, state.window.lastSeen)).toBe(state.dailySpent);

    const again = await send(spend.wire);
    expect(['already_processed', 'accepted']).toContain(again.kind);
    const search = {
      sessionPda: mine.pda,
      sessionIndex: mine.index,
      spendSeq: 5n,
      spendId: spend.intent.spendId,
      sinceSlot: spend.slot,
      commitment: 'confirmed',
    } as const;
    expect(await findLanding(rpcFor(), program, search)).toMatchObject({
      kind: 'ours',
      signature: spend.signature,
    });
    const other = { ...search, spendId: crypto.randomUUID() };
    expect(await findLanding(rpcFor(), program, other)).toMatchObject({
      kind: 'other_spend',
      spendId: spend.intent.spendId,
    });
    expect(await findLanding(rpcFor(), program, { ...search, spendSeq: 4n })).toEqual({
      kind: 'nothing',
      complete: true,
    });
  });

  it('reads the balances of vault and stranger in one call', async () => {
    const read = createSharedAccounts(rpcFor());
    const wanted = [addresses.usdcAta(vault), addresses.usdcAta(stranger)];
    const { accounts } = await read(wanted);
    const [ofVault, ofStranger] = accounts.map(tokenAmountOf);
    expect(ofVault).toBeGreaterThan(0n);
    expect(ofStranger).toBe(0n);
  });

  it.each<[string, Partial<TransferIntent>, string | null]>([
    ['RecipientNotAllowed', { recipient: stranger }, null],
    ['AmountExceedsMaxPerTx', { amount: 2_001n }, null],
    ['InvalidAmount', { amount: 0n }, null],
    ['SpendSequenceTooOld', { spendSeq: 0n }, null],
    ['SpendSequenceTooFar', { spendSeq: 2n ** 40n }, null],
    ['SessionMismatch', { sessionIndex: 77n }, null],
    ['AccountNotInitialized', { recipient: withoutAccount }, 'recipient_token_account'],
  ])('reads a refusal in preflight as %s', async (name, change, account) => {
    const failure = await failureOf(lane, change);
    expect(failure).toMatchObject({ isOurs: true, name, account });
    expect(failure.detail).toContain(name);
    expect(failure.detail).toContain(failure.hex);
    expect(isReplayRefusal(failure)).toBe(name === 'SpendSequenceTooOld');
  });

  it('reads the refusal of a spend_seq that was used, by another spend', async () => {
    const first = await signedSpend(lane, { spendSeq: 30n });
    await send(first.wire);
    await statusOf(first.signature);
    const failure = await failureOf(lane, { spendSeq: 30n });
    expect(failure.name).toBe('SpendAlreadyExecuted');
    expect(isReplayRefusal(failure)).toBe(true);
  });

  it('reads the refusals of cap, bit, expiry, pause and lack of money', async () => {
    expect(await refusal(await openLane({ dailyCap: 99n }))).toBe('DailyCapExceeded');
    expect(await refusal(await openLane({ allowedInstructions: 2 }))).toBe('InstructionNotAllowed');
    expect(await refusal(lane, { amount: 1_500n, spendSeq: 40n })).toMatch(/Insufficient/);

    const soon = BigInt(Math.floor(Date.now() / 1_000)) + 2n;
    const expiring = await openLane({ expiry: soon });
    let name = await refusal(expiring, { amount: 2_001n });
    for (let tries = 0; tries < 100 && name !== 'SessionExpired'; tries += 1) {
      await delay(100);
      name = await refusal(expiring, { amount: 2_001n });
    }
    expect(name).toBe('SessionExpired');

    await ownerSends(ownerTransactions().setPaused(ownerAddress, true));
    expect(await refusal(lane, { spendSeq: 41n })).toBe('VaultPaused');
    await ownerSends(ownerTransactions().setPaused(ownerAddress, false));
  });

  it('follows a new allowlist and a revocation', async () => {
    const mine = await openLane();
    await ownerSends(ownerTransactions().updateAllowlist(ownerAddress, named(mine), [stranger]));
    expect((await sessionAt(mine.pda))?.recipients).toEqual([stranger]);
    await ownerSends(ownerTransactions().revokeSession(ownerAddress, named(mine)));
    expect(await sessionAt(mine.pda)).toBeNull();
    const gone = { name: 'AccountNotInitialized', account: 'session', hex: '0xbc4' };
    expect(await failureOf(mine)).toMatchObject(gone);
  });

  it('reads a failure that landed, and the same in a simulation', async () => {
    const spend = await signedSpend(lane, { amount: 2_001n, spendSeq: 50n });
    const simulation = await rpcFor().simulate(spend.wire);
    expect(failureOfSimulation(program, spend.wire, simulation)?.name).toBe(
      'AmountExceedsMaxPerTx',
    );
    expect((await send(spend.wire, true)).kind).toBe('accepted');
    const status = await statusOf(spend.signature);
    expect(status.err).not.toBeNull();
    const transaction = await rpcFor().transaction(spend.signature, 'confirmed');
    if (transaction === null) throw new Error('it has landed');
    expect(failureOfTransaction(program, transaction)?.name).toBe('AmountExceedsMaxPerTx');
  });

  it('proves the expiry of an attempt that was never sent', async () => {
    const spend = await signedSpend(lane, { spendSeq: 60n });
    const attempt = {
      spendSeq: 60n,
      sessionIndex: lane.index,
      lastValidBlockHeight: spend.lastValidBlockHeight,
    };
    const rpc = rpcFor();
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
    await send(spend.wire, true);
    await delay(1_000);
    const { statuses } = await rpc.signatureStatuses([spend.signature], { searchHistory: true });
    expect(statuses[0]).toBeNull();
    const state = await sessionAt(lane.pda);
    expect(state && replayBit(state.replay, 60n)).toBe('clear');
  });

  it('delivers the whole story in order', async () => {
    const rpc = rpcFor();
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
    expect(names.filter((name) => name === 'UsdcTransferred')).toHaveLength(2);
    expect(names.filter((name) => name === 'SessionRevoked')).toHaveLength(1);
    expect(names.filter((name) => name === 'PausedSet')).toHaveLength(2);
    expect(names.filter((name) => name === 'SessionAllowlistUpdated')).toHaveLength(1);
  });

  it('turns a node that is not there into RPC_UNAVAILABLE, and a send to it into unknown', async () => {
    const calls: string[] = [];
    const onCall = (method: string, outcome: string): number => calls.push(`${method} ${outcome}`);
    const rpc = createRpc({ url: 'http://127.0.0.1:9', timeoutMs: 500, onCall });
    await expect(rpc.genesisHash()).rejects.toThrow('RPC_UNAVAILABLE');
    const spend = await signedSpend(lane, { spendSeq: 70n });
    const outcome = await createSend(rpc, program)(spend.wire, { skipPreflight: false });
    expect(outcome.kind).toBe('unknown');
    expect(calls).toEqual(['getGenesisHash error', 'sendTransaction error']);
  });
});
