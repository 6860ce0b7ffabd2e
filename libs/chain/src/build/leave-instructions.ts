/**
 * The instructions by which an owner takes everything out of a vault and closes it, and the one
 * that gives an older vault the newest layout, which closing needs.
 */

import { TOKEN_PROGRAM_ID } from '@solana/spl-token';
import { SystemProgram, type TransactionInstruction } from '@solana/web3.js';

import { account, instruction, u64 } from './instruction-parts.ts';
import type { WalletProgram } from '../program/program.ts';
import type { Reserve } from '../reserve/reserve.ts';

/** A token account of a vault, and where its balance goes. */
export type SweptTokenAccount = {
  /** The token account's owner: the vault, or its yield authority. */
  readonly authority: 'vault' | 'yield';
  readonly tokenAccount: string;
  /** A token account of the vault's owner; null when nothing is left to move. */
  readonly ownerTokenAccount: string | null;
  readonly mint: string;
  /** The token program of both accounts: Token or Token-2022. */
  readonly tokenProgram: string;
  /** Whether the account is closed afterwards; its rent goes to the vault's owner. */
  readonly close: boolean;
};

/** Gives a vault of an older version the newest layout; the owner pays the rent that is missing. */
export function migrateVault(program: WalletProgram, owner: string): TransactionInstruction {
  const accounts = [
    account(owner, 'writable signer'),
    account(program.addresses.vaultPda(owner), 'writable'),
    account(SystemProgram.programId, 'readonly'),
  ];
  return instruction(program, 'migrate_vault', accounts, {});
}

/**
 * Moves the whole balance of a token account of the vault, other than the vault's own USDC account,
 * to its owner. Swept collateral no longer counts as deployed. `deadline` is in unix seconds.
 */
export function sweepTokenAccount(
  program: WalletProgram,
  owner: string,
  swept: SweptTokenAccount,
  deadline: bigint,
): TransactionInstruction {
  const { addresses, programId } = program;
  const vault = addresses.vaultPda(owner);
  const accounts = [
    account(owner, 'writable signer'),
    account(vault, 'writable'),
    account(swept.authority === 'vault' ? vault : addresses.yieldPda(vault), 'readonly'),
    account(swept.tokenAccount, 'writable'),
    // The program's address marks an absent account.
    swept.ownerTokenAccount === null
      ? account(programId, 'readonly')
      : account(swept.ownerTokenAccount, 'writable'),
    account(swept.mint, 'readonly'),
    account(swept.tokenProgram, 'readonly'),
  ];
  const args = { close: swept.close, deadline: u64(deadline) };
  return instruction(program, 'sweep_token_account', accounts, args);
}

/** Moves the SOL beyond the vault's rent, and all of its yield authority, to the owner. */
export function sweepLamports(program: WalletProgram, owner: string): TransactionInstruction {
  const { addresses } = program;
  const vault = addresses.vaultPda(owner);
  const accounts = [
    account(owner, 'writable signer'),
    account(vault, 'writable'),
    account(addresses.yieldPda(vault), 'writable'),
    account(SystemProgram.programId, 'readonly'),
  ];
  return instruction(program, 'sweep_lamports', accounts, {});
}

/**
 * Closes an empty vault without sessions and its token account; their rent goes to the owner.
 * `nextSessionIndex` is the vault's own: a vault that the owner creates later has a higher one.
 */
export function closeVault(
  program: WalletProgram,
  { collateralMint }: Pick<Reserve, 'collateralMint'>,
  owner: string,
  nextSessionIndex: bigint,
): TransactionInstruction {
  const { addresses } = program;
  const vault = addresses.vaultPda(owner);
  const yieldAuthority = addresses.yieldPda(vault);
  const accounts = [
    account(owner, 'writable signer'),
    account(vault, 'writable'),
    account(addresses.usdcAta(vault), 'writable'),
    account(addresses.usdcAta(yieldAuthority), 'readonly'),
    account(addresses.ata(yieldAuthority, collateralMint), 'readonly'),
    account(TOKEN_PROGRAM_ID, 'readonly'),
  ];
  const args = { next_session_index: u64(nextSessionIndex) };
  return instruction(program, 'close_vault', accounts, args);
}
