/** The instructions of our program except yield; accounts in the program's order. */

import { ASSOCIATED_TOKEN_PROGRAM_ID, TOKEN_PROGRAM_ID } from '@solana/spl-token';
import { PublicKey, SystemProgram, type TransactionInstruction } from '@solana/web3.js';

import { account, instruction, spendIdBytes, u64 } from './instruction-parts.ts';
import type { WalletProgram } from '../program/program.ts';

/** The limits of a live session that the owner can change, besides its recipients. */
export type ChangedLimits = {
  readonly maxPerTx: bigint;
  readonly dailyCap: bigint;
  /** Unix seconds. */
  readonly expiry: bigint;
  readonly allowedInstructions: number;
};

export type SessionLimits = ChangedLimits & {
  readonly sessionPubkey: string;
  readonly recipients: readonly string[];
};

/** A session at its address. The index tells it from an earlier session of the same key. */
export type NamedSession = { readonly sessionPda: string; readonly sessionIndex: bigint };

export type TransferArgs = {
  readonly vault: string;
  readonly sessionPubkey: string;
  readonly recipient: string;
  readonly amount: bigint;
  readonly spendSeq: bigint;
  readonly sessionIndex: bigint;
  readonly spendId: string;
};

const keys = (addresses: readonly string[]): PublicKey[] =>
  addresses.map((address) => new PublicKey(address));

/** Creates the owner's vault and its token account. A `deadline` is in unix seconds, everywhere. */
export function initVault(
  program: WalletProgram,
  owner: string,
  maxDeployedFractionBp: number,
  deadline: bigint,
): TransactionInstruction {
  const { addresses, usdcMint } = program;
  const vault = addresses.vaultPda(owner);
  const accounts = [
    account(owner, 'writable signer'),
    account(vault, 'writable'),
    account(addresses.usdcAta(vault), 'writable'),
    account(usdcMint, 'readonly'),
    account(TOKEN_PROGRAM_ID, 'readonly'),
    account(ASSOCIATED_TOKEN_PROGRAM_ID, 'readonly'),
    account(SystemProgram.programId, 'readonly'),
  ];
  return instruction(program, 'init_vault', accounts, {
    max_deployed_fraction_bp: maxDeployedFractionBp,
    deadline: u64(deadline),
  });
}

const limitsArgs = (limits: ChangedLimits): Record<string, unknown> => ({
  max_per_tx: u64(limits.maxPerTx),
  daily_cap: u64(limits.dailyCap),
  expiry: u64(limits.expiry),
  allowed_instructions: limits.allowedInstructions,
});

/**
 * Creates a session for a session key, with its limits. `sessionIndex` is the vault's next one, so
 * that of two copies of a signed instruction one passes.
 */
export function addSession(
  program: WalletProgram,
  owner: string,
  limits: SessionLimits,
  { sessionIndex, deadline }: { readonly sessionIndex: bigint; readonly deadline: bigint },
): TransactionInstruction {
  const vault = program.addresses.vaultPda(owner);
  const accounts = [
    account(owner, 'writable signer'),
    account(vault, 'writable'),
    account(program.addresses.sessionPda(vault, limits.sessionPubkey), 'writable'),
    account(SystemProgram.programId, 'readonly'),
  ];
  return instruction(program, 'add_session', accounts, {
    ...limitsArgs(limits),
    session_pubkey: new PublicKey(limits.sessionPubkey),
    recipients: keys(limits.recipients),
    session_index: u64(sessionIndex),
    deadline: u64(deadline),
  });
}

/** Replaces the recipients of a session; its counters stay. */
export function updateSessionAllowlist(
  program: WalletProgram,
  owner: string,
  { sessionPda, sessionIndex }: NamedSession,
  recipients: readonly string[],
  deadline: bigint,
): TransactionInstruction {
  const accounts = [
    account(owner, 'signer'),
    account(program.addresses.vaultPda(owner), 'readonly'),
    account(sessionPda, 'writable'),
  ];
  return instruction(program, 'update_session_allowlist', accounts, {
    recipients: keys(recipients),
    session_index: u64(sessionIndex),
    deadline: u64(deadline),
  });
}

/** Replaces the limits of a session; its counters stay. */
export function updateSessionLimits(
  program: WalletProgram,
  owner: string,
  { sessionPda, sessionIndex }: NamedSession,
  limits: ChangedLimits,
  deadline: bigint,
): TransactionInstruction {
  const accounts = [
    account(owner, 'signer'),
    account(program.addresses.vaultPda(owner), 'readonly'),
    account(sessionPda, 'writable'),
  ];
  return instruction(program, 'update_session_limits', accounts, {
    ...limitsArgs(limits),
    session_index: u64(sessionIndex),
    deadline: u64(deadline),
  });
}

/** Closes a session; its rent goes to the owner. */
export function revokeSession(
  program: WalletProgram,
  owner: string,
  { sessionPda, sessionIndex }: NamedSession,
): TransactionInstruction {
  const accounts = [
    account(owner, 'writable signer'),
    account(program.addresses.vaultPda(owner), 'writable'),
    account(sessionPda, 'writable'),
  ];
  return instruction(program, 'revoke_session', accounts, { session_index: u64(sessionIndex) });
}

/** Pauses or resumes all actions of session keys. A pause passes after the deadline as well. */
export function setPaused(
  program: WalletProgram,
  owner: string,
  paused: boolean,
  deadline: bigint,
): TransactionInstruction {
  const accounts = [
    account(owner, 'signer'),
    account(program.addresses.vaultPda(owner), 'writable'),
  ];
  return instruction(program, 'set_paused', accounts, { paused, deadline: u64(deadline) });
}

/** Sets the largest share of the vault's USDC that may be deployed, in basis points. */
export function setMaxDeployedFraction(
  program: WalletProgram,
  owner: string,
  maxDeployedFractionBp: number,
  deadline: bigint,
): TransactionInstruction {
  const accounts = [
    account(owner, 'signer'),
    account(program.addresses.vaultPda(owner), 'writable'),
  ];
  return instruction(program, 'set_max_deployed_fraction', accounts, {
    max_deployed_fraction_bp: maxDeployedFractionBp,
    deadline: u64(deadline),
  });
}

/**
 * Moves USDC from the vault to an existing token account of its owner. `EVERYTHING` moves the whole
 * balance of the vault's token account.
 */
export function ownerWithdraw(
  program: WalletProgram,
  owner: string,
  amount: bigint,
  ownerTokenAccount: string,
): TransactionInstruction {
  const { addresses, usdcMint } = program;
  const vault = addresses.vaultPda(owner);
  const accounts = [
    account(owner, 'signer'),
    account(vault, 'readonly'),
    account(addresses.usdcAta(vault), 'writable'),
    account(ownerTokenAccount, 'writable'),
    account(usdcMint, 'readonly'),
    account(TOKEN_PROGRAM_ID, 'readonly'),
  ];
  return instruction(program, 'owner_withdraw', accounts, { amount: u64(amount) });
}

/** Moves USDC from the vault to the recipient's associated token account. */
export function transferUsdc(program: WalletProgram, args: TransferArgs): TransactionInstruction {
  const { addresses, usdcMint } = program;
  const accounts = [
    account(args.sessionPubkey, 'signer'),
    account(args.vault, 'readonly'),
    account(addresses.sessionPda(args.vault, args.sessionPubkey), 'writable'),
    account(addresses.usdcAta(args.vault), 'writable'),
    account(args.recipient, 'readonly'),
    account(addresses.usdcAta(args.recipient), 'writable'),
    account(usdcMint, 'readonly'),
    account(TOKEN_PROGRAM_ID, 'readonly'),
  ];
  return instruction(program, 'transfer_usdc', accounts, {
    amount: u64(args.amount),
    spend_seq: u64(args.spendSeq),
    session_index: u64(args.sessionIndex),
    spend_id: spendIdBytes(args.spendId),
    recipient_bump: addresses.ataBump(args.recipient, usdcMint),
  });
}
