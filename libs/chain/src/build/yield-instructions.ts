/** The instructions that deploy a vault's USDC to the yield reserve and withdraw it. */

import { ASSOCIATED_TOKEN_PROGRAM_ID, TOKEN_PROGRAM_ID } from '@solana/spl-token';
import {
  SystemProgram,
  SYSVAR_INSTRUCTIONS_PUBKEY,
  type AccountMeta,
  type TransactionInstruction,
} from '@solana/web3.js';

import { NO_DEADLINE } from './deadlines.ts';
import { account, instruction, spendIdBytes, u64 } from './instruction-parts.ts';
import type { WalletProgram } from '../program/program.ts';
import type { Reserve } from '../reserve/reserve.ts';

/** Arguments of a yield instruction that a session signs; amounts in base units. */
export type YieldDepositArgs = {
  readonly vault: string;
  readonly sessionPubkey: string;
  readonly amount: bigint;
  readonly spendSeq: bigint;
  readonly sessionIndex: bigint;
  readonly spendId: string;
};

/**
 * An `amount` equal to deployed_amount redeems all collateral and ignores `collateralAmount`.
 * Otherwise the redeemed units may bring at most `amount` and the value of one unit more.
 */
export type YieldWithdrawArgs = YieldDepositArgs & { readonly collateralAmount: bigint };

/** The signer of a yield instruction: a session key, or the owner without a session. */
type Mover = { readonly key: string; readonly vault: string; readonly session: string | null };

const moverOf = (
  { addresses }: WalletProgram,
  { vault, sessionPubkey }: Pick<YieldDepositArgs, 'vault' | 'sessionPubkey'>,
): Mover => ({ key: sessionPubkey, vault, session: addresses.sessionPda(vault, sessionPubkey) });

/** The program ignores the spend when no session signs. `deadline` is in unix seconds. */
const ownerArgs = (deadline: bigint): Record<string, unknown> => ({
  spend_seq: u64(0n),
  session_index: u64(0n),
  spend_id: Array.from<number>({ length: 16 }).fill(0),
  deadline: u64(deadline),
});

function yieldAccounts(
  program: WalletProgram,
  reserve: Reserve,
  { key, vault, session }: Mover,
): readonly AccountMeta[] {
  const { addresses, programId, usdcMint } = program;
  const yieldAuthority = addresses.yieldPda(vault);
  return [
    account(key, 'signer'),
    account(vault, 'writable'),
    // The program's address marks an absent account.
    session === null ? account(programId, 'readonly') : account(session, 'writable'),
    account(addresses.usdcAta(vault), 'writable'),
    account(yieldAuthority, 'readonly'),
    account(addresses.usdcAta(yieldAuthority), 'writable'),
    account(addresses.ata(yieldAuthority, reserve.collateralMint), 'writable'),
    account(reserve.reserve, 'writable'),
    account(reserve.lendingMarket, 'readonly'),
    account(reserve.lendingMarketAuthority, 'readonly'),
    account(reserve.liquiditySupply, 'writable'),
    account(reserve.collateralMint, 'writable'),
    account(usdcMint, 'readonly'),
    account(TOKEN_PROGRAM_ID, 'readonly'),
    account(SYSVAR_INSTRUCTIONS_PUBKEY, 'readonly'),
    account(reserve.programId, 'readonly'),
  ];
}

const spendArgs = (args: YieldDepositArgs): Record<string, unknown> => ({
  spend_seq: u64(args.spendSeq),
  session_index: u64(args.sessionIndex),
  spend_id: spendIdBytes(args.spendId),
  deadline: u64(NO_DEADLINE),
});

/** Creates the accounts that the vault needs for yield; succeeds when they exist. */
export function initYield(
  program: WalletProgram,
  reserve: Reserve,
  owner: string,
): TransactionInstruction {
  const { addresses, usdcMint } = program;
  const vault = addresses.vaultPda(owner);
  const yieldAuthority = addresses.yieldPda(vault);
  const accounts = [
    account(owner, 'writable signer'),
    account(vault, 'writable'),
    account(yieldAuthority, 'readonly'),
    account(addresses.usdcAta(yieldAuthority), 'writable'),
    account(addresses.ata(yieldAuthority, reserve.collateralMint), 'writable'),
    account(usdcMint, 'readonly'),
    account(reserve.collateralMint, 'readonly'),
    account(TOKEN_PROGRAM_ID, 'readonly'),
    account(ASSOCIATED_TOKEN_PROGRAM_ID, 'readonly'),
    account(SystemProgram.programId, 'readonly'),
  ];
  return instruction(program, 'init_yield', accounts, {});
}

/** Deploys USDC, signed by a session key. */
export function yieldDeposit(
  program: WalletProgram,
  reserve: Reserve,
  args: YieldDepositArgs,
): TransactionInstruction {
  return instruction(
    program,
    'yield_deposit',
    yieldAccounts(program, reserve, moverOf(program, args)),
    {
      amount: u64(args.amount),
      ...spendArgs(args),
    },
  );
}

/** Withdraws USDC, signed by a session key. */
export function yieldWithdraw(
  program: WalletProgram,
  reserve: Reserve,
  args: YieldWithdrawArgs,
): TransactionInstruction {
  return instruction(
    program,
    'yield_withdraw',
    yieldAccounts(program, reserve, moverOf(program, args)),
    {
      amount: u64(args.amount),
      collateral_amount: u64(args.collateralAmount),
      ...spendArgs(args),
    },
  );
}

const ownerAsMover = ({ addresses }: WalletProgram, owner: string): Mover => ({
  key: owner,
  vault: addresses.vaultPda(owner),
  session: null,
});

/** Deploys USDC, signed by the owner. */
export function ownerYieldDeposit(
  program: WalletProgram,
  reserve: Reserve,
  owner: string,
  amount: bigint,
  deadline: bigint,
): TransactionInstruction {
  const accounts = yieldAccounts(program, reserve, ownerAsMover(program, owner));
  const args = { amount: u64(amount), ...ownerArgs(deadline) };
  return instruction(program, 'yield_deposit', accounts, args);
}

/** Withdraws USDC, signed by the owner; `EVERYTHING` redeems all collateral. */
export function ownerYieldWithdraw(
  program: WalletProgram,
  reserve: Reserve,
  owner: string,
  { amount, collateralAmount }: Pick<YieldWithdrawArgs, 'amount' | 'collateralAmount'>,
  deadline: bigint,
): TransactionInstruction {
  const accounts = yieldAccounts(program, reserve, ownerAsMover(program, owner));
  return instruction(program, 'yield_withdraw', accounts, {
    amount: u64(amount),
    collateral_amount: u64(collateralAmount),
    ...ownerArgs(deadline),
  });
}
