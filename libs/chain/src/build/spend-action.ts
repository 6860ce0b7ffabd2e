/**
 * The effect of a spend on chain: one instruction of ours, with one case per kind in each function.
 * `expected-spend.ts` has the bytes that the signer expects.
 */

import type { TransactionInstruction } from '@solana/web3.js';

import { transferUnitLimit, yieldUnitLimit } from '../program/compute-units.ts';
import { transferUsdc, type TransferArgs } from './instructions.ts';
import type { WalletProgram } from '../program/program.ts';
import type { Reserve } from '../reserve/reserve.ts';
import {
  yieldDeposit,
  yieldWithdraw,
  type YieldDepositArgs,
  type YieldWithdrawArgs,
} from './yield-instructions.ts';

/** Addresses in base58, amount in base units, `spendId` a uuid. */
export type SpendAction =
  | ({ readonly kind: 'transfer' } & TransferArgs)
  | ({ readonly kind: 'yield_deposit'; readonly reserve: Reserve } & YieldDepositArgs)
  | ({ readonly kind: 'yield_withdraw'; readonly reserve: Reserve } & YieldWithdrawArgs);

/** The instruction of an action. */
export function instructionOf(program: WalletProgram, action: SpendAction): TransactionInstruction {
  switch (action.kind) {
    case 'transfer':
      return transferUsdc(program, action);
    case 'yield_deposit':
      return yieldDeposit(program, action.reserve, action);
    case 'yield_withdraw':
      return yieldWithdraw(program, action.reserve, action);
  }
}

/** The compute unit limit of a message with this action, from measurements. */
export function unitLimitOf(program: WalletProgram, action: SpendAction): number {
  const { addresses, usdcMint } = program;
  switch (action.kind) {
    case 'transfer':
      return transferUnitLimit();
    case 'yield_deposit':
    case 'yield_withdraw': {
      const owner = addresses.yieldPda(action.vault);
      const mints = [usdcMint, action.reserve.collateralMint];
      return yieldUnitLimit(
        action.kind,
        mints.map((mint) => addresses.ataBump(owner, mint)),
      );
    }
  }
}

/** Whether an action involves an address. */
export function takesPart(program: WalletProgram, action: SpendAction, address: string): boolean {
  const { keys, programId } = instructionOf(program, action);
  const addresses = [programId, ...keys.map(({ pubkey }) => pubkey)];
  return addresses.some((one) => one.toBase58() === address);
}

/** The accounts that an action locks for writing, as base58. */
export function writableAccountsOf(program: WalletProgram, action: SpendAction): readonly string[] {
  const { keys } = instructionOf(program, action);
  return keys.filter(({ isWritable }) => isWritable).map(({ pubkey }) => pubkey.toBase58());
}
