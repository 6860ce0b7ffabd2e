/**
 * A vault on an embedded chain with the real program: its owner, its sessions, and the verbs of the
 * chain package on them.
 */
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

import {
  buildSpendMessage,
  createOwnerTransactions,
  createRpc,
  createSend,
  createWalletProgram,
  signSpend,
  type SessionState,
  type SignedSpend,
  type SignatureStatus,
  type SpendIntent,
  type VaultState,
} from '@agent-wallet/chain';
import {
  createAssociatedTokenAccountIdempotentInstruction,
  createMintToInstruction,
} from '@solana/spl-token';
import { createLocalSigner } from '@agent-wallet/signer';
import {
  Keypair,
  PublicKey,
  SystemProgram,
  Transaction,
  VersionedTransaction,
} from '@solana/web3.js';
import bs58 from 'bs58';
import { expect } from 'vitest';

import { localProgramId, USDC_MINT } from '@agent-wallet/local-system/chain/chain-facts.ts';
import { startEmbeddedChain } from '@agent-wallet/local-system/chain/embedded-chain.ts';

type SendOutcome = Awaited<ReturnType<ReturnType<typeof createSend>>>;
export type TransferIntent = Extract<SpendIntent, { readonly kind: 'transfer' }>;

type Failure = Extract<SendOutcome, { readonly kind: 'refused' }>['failure'];
export type Lane = { readonly key: Keypair; readonly pda: string; readonly index: bigint };
export const named = ({ pda, index }: Lane) => ({ sessionPda: pda, sessionIndex: index });

export const program = createWalletProgram({ programId: localProgramId(), usdcMint: USDC_MINT });
export const { addresses } = program;
export const owner = Keypair.generate();
export const ownerAddress = owner.publicKey.toBase58();
export const feePayer = Keypair.generate();
export const vault = addresses.vaultPda(ownerAddress);
export const recipient = Keypair.generate().publicKey.toBase58();
export const withoutAccount = Keypair.generate().publicKey.toBase58();
export const stranger = Keypair.generate().publicKey.toBase58();
export const FAR = 4_000_000_000n;

export type WalletOnChain = Awaited<ReturnType<typeof startWalletOnChain>>;

/** Starts a chain and creates the vault, which holds 1 000 base units. */
export async function startWalletOnChain() {
  await using starting = new AsyncDisposableStack();
  const folder = mkdtempSync(path.join(tmpdir(), 'chain-test-'));
  // Blocks of 20 ms: an expiry is proven in four seconds instead of over a minute.
  const chain = await startEmbeddedChain({
    slotTimeMs: 20,
    logFile: path.join(folder, 'chain.log'),
  });
  starting.defer(() => chain.stop());
  if (!chain.programLoaded) throw new Error('the program has not been built');
  const faucet = Keypair.fromSecretKey(bs58.decode(chain.faucetSecretKey));
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
    const signed = await signSpend(program, {
      intent,
      messageBytes,
      sessionKey: createLocalSigner(from.key),
      feePayer: createLocalSigner(feePayer),
    });
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

  await fund();
  await ownerSends(ownerTransactions().initVault(ownerAddress, 8_000, null));
  const started = starting.move();
  return {
    stop: () => started.disposeAsync(),
    rpcFor,
    ownerTransactions,
    statusOf,
    ownerSends,
    openLane,
    vaultNow,
    sessionAt,
    signedSpend,
    send,
    failureOf,
    refusal,
  };
}
