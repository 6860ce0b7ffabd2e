/** Instructions of our program: accounts in the program's order, arguments through the IDL coder. */

import { BN } from '@coral-xyz/anchor';
import { ASSOCIATED_TOKEN_PROGRAM_ID, TOKEN_PROGRAM_ID } from '@solana/spl-token';
import { PublicKey, SystemProgram, TransactionInstruction } from '@solana/web3.js';
import type { AccountMeta } from '@solana/web3.js';

import { hexOfSpendId } from './events.ts';
import { coder } from './idl.ts';
import type { WalletProgram } from './program.ts';

export type SessionLimits = {
  readonly sessionPubkey: string;
  readonly maxPerTx: bigint;
  readonly dailyCap: bigint;
  /** Unix seconds. */
  readonly expiry: bigint;
  readonly allowedInstructions: number;
  readonly recipients: readonly string[];
};

export type TransferArgs = {
  readonly vault: string;
  readonly sessionPubkey: string;
  readonly recipient: string;
  readonly amount: bigint;
  readonly spendSeq: bigint;
  readonly sessionIndex: bigint;
  readonly spendId: string;
};

type Flags = 'readonly' | 'writable' | 'signer' | 'writable signer';

const account = (address: string | PublicKey, flags: Flags): AccountMeta => ({
  pubkey: new PublicKey(address),
  isSigner: flags.endsWith('signer'),
  isWritable: flags.startsWith('writable'),
});

// Decimal text is the one form that both kinds of big number agree on.
const u64 = (value: bigint): unknown => new BN(value.toString());
const keys = (addresses: readonly string[]): PublicKey[] =>
  addresses.map((address) => new PublicKey(address));

function instruction(
  program: WalletProgram,
  name: string,
  accounts: readonly AccountMeta[],
  args: Record<string, unknown>,
): TransactionInstruction {
  const { programId, addresses } = program;
  return new TransactionInstruction({
    programId: new PublicKey(programId),
    keys: [
      ...accounts,
      account(addresses.eventAuthority, 'readonly'),
      account(programId, 'readonly'),
    ],
    data: coder.instruction.encode(name, args),
  });
}

/** Creates the owner's vault and its token account. */
export function initVault(
  program: WalletProgram,
  owner: string,
  maxDeployedFractionBp: number,
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
  });
}

/** Creates a session for a session key, with its limits. */
export function addSession(
  program: WalletProgram,
  owner: string,
  limits: SessionLimits,
): TransactionInstruction {
  const vault = program.addresses.vaultPda(owner);
  const accounts = [
    account(owner, 'writable signer'),
    account(vault, 'writable'),
    account(program.addresses.sessionPda(vault, limits.sessionPubkey), 'writable'),
    account(SystemProgram.programId, 'readonly'),
  ];
  return instruction(program, 'add_session', accounts, {
    session_pubkey: new PublicKey(limits.sessionPubkey),
    max_per_tx: u64(limits.maxPerTx),
    daily_cap: u64(limits.dailyCap),
    expiry: u64(limits.expiry),
    allowed_instructions: limits.allowedInstructions,
    recipients: keys(limits.recipients),
  });
}

/** Replaces the recipients of a session; its counters stay. */
export function updateSessionAllowlist(
  program: WalletProgram,
  owner: string,
  sessionPda: string,
  recipients: readonly string[],
): TransactionInstruction {
  const accounts = [
    account(owner, 'signer'),
    account(program.addresses.vaultPda(owner), 'readonly'),
    account(sessionPda, 'writable'),
  ];
  return instruction(program, 'update_session_allowlist', accounts, {
    recipients: keys(recipients),
  });
}

/** Closes a session; its rent goes to the owner. */
export function revokeSession(
  program: WalletProgram,
  owner: string,
  sessionPda: string,
): TransactionInstruction {
  const accounts = [
    account(owner, 'writable signer'),
    account(program.addresses.vaultPda(owner), 'readonly'),
    account(sessionPda, 'writable'),
  ];
  return instruction(program, 'revoke_session', accounts, {});
}

/** Stops or resumes everything that session keys may do. */
export function setPaused(
  program: WalletProgram,
  owner: string,
  paused: boolean,
): TransactionInstruction {
  const accounts = [
    account(owner, 'signer'),
    account(program.addresses.vaultPda(owner), 'writable'),
  ];
  return instruction(program, 'set_paused', accounts, { paused });
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
    spend_id: [...Buffer.from(hexOfSpendId(args.spendId), 'hex')],
  });
}
