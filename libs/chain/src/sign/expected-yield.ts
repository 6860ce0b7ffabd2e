/** The expected bytes of a session's yield instructions. */

import { TOKEN_PROGRAM_ID } from '@solana/spl-token';
import { SYSVAR_INSTRUCTIONS_PUBKEY } from '@solana/web3.js';

import { hexOfSpendId } from '../program/events.ts';
import {
  discriminatorOf,
  readonly,
  signer,
  u64,
  writable,
  type ExpectedAccount,
  type ExpectedInstruction,
} from './expected-instruction.ts';
import type { WalletProgram } from '../program/program.ts';
import type { Reserve } from '../reserve/reserve.ts';
import type { YieldDepositArgs, YieldWithdrawArgs } from '../build/yield-instructions.ts';

const DEPOSIT = discriminatorOf('yield_deposit');
const WITHDRAW = discriminatorOf('yield_withdraw');
/** The largest i64: what a session signs has no deadline. */
const NO_DEADLINE = Buffer.from('ffffffffffffff7f', 'hex');

function expectedAccounts(
  { programId, usdcMint, addresses }: WalletProgram,
  reserve: Reserve,
  { vault, sessionPubkey }: YieldDepositArgs,
): readonly ExpectedAccount[] {
  const yieldPda = addresses.yieldPda(vault);
  return [
    signer(sessionPubkey),
    writable(vault),
    writable(addresses.sessionPda(vault, sessionPubkey)),
    writable(addresses.usdcAta(vault)),
    readonly(yieldPda),
    writable(addresses.usdcAta(yieldPda)),
    writable(addresses.ata(yieldPda, reserve.collateralMint)),
    writable(reserve.reserve),
    readonly(reserve.lendingMarket),
    readonly(reserve.lendingMarketAuthority),
    writable(reserve.liquiditySupply),
    writable(reserve.collateralMint),
    readonly(usdcMint),
    readonly(TOKEN_PROGRAM_ID.toBase58()),
    readonly(SYSVAR_INSTRUCTIONS_PUBKEY.toBase58()),
    readonly(reserve.programId),
    readonly(addresses.eventAuthority),
    readonly(programId),
  ];
}

const spendBytes = (args: YieldDepositArgs): Buffer =>
  Buffer.concat([
    u64(args.spendSeq),
    u64(args.sessionIndex),
    Buffer.from(hexOfSpendId(args.spendId), 'hex'),
    NO_DEADLINE,
  ]);

/** The instruction that deploys exactly this amount, with this number and id. */
export function expectedYieldDeposit(
  program: WalletProgram,
  reserve: Reserve,
  args: YieldDepositArgs,
): ExpectedInstruction {
  return {
    program: program.programId,
    accounts: expectedAccounts(program, reserve, args),
    data: Buffer.concat([DEPOSIT, u64(args.amount), spendBytes(args)]),
  };
}

/** The instruction that withdraws this amount for this collateral. */
export function expectedYieldWithdraw(
  program: WalletProgram,
  reserve: Reserve,
  args: YieldWithdrawArgs,
): ExpectedInstruction {
  return {
    program: program.programId,
    accounts: expectedAccounts(program, reserve, args),
    data: Buffer.concat([WITHDRAW, u64(args.amount), u64(args.collateralAmount), spendBytes(args)]),
  };
}
