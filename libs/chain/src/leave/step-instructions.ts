/** The instructions of one step, which the owner alone signs and pays for. */

import {
  createAssociatedTokenAccountIdempotentInstruction,
  getAssociatedTokenAddressSync,
} from '@solana/spl-token';
import type { TransactionInstruction } from '@solana/web3.js';

import { EVERYTHING } from '../build/instruction-parts.ts';
import { ownerWithdraw, revokeSession, setPaused } from '../build/instructions.ts';
import {
  closeVault,
  migrateVault,
  sweepLamports,
  sweepTokenAccount,
} from '../build/leave-instructions.ts';
import { initYield, ownerYieldWithdraw } from '../build/yield-instructions.ts';
import { publicKeyOf } from '../program/addresses.ts';
import type { WalletProgram } from '../program/program.ts';
import type { Reserve } from '../reserve/reserve.ts';
import type { Holdings } from './holdings.ts';
import type { LeaveStep } from './plan-leaving.ts';

/**
 * The step for these holdings, which must be those that it was planned for. `deadline` is in unix
 * seconds.
 */
export function stepInstructions(
  program: WalletProgram,
  reserve: Reserve,
  holdings: Holdings,
  step: LeaveStep,
  deadline: bigint,
): readonly TransactionInstruction[] {
  const { owner, nextSessionIndex } = holdings.vault;
  switch (step.kind) {
    case 'pause':
      return [setPaused(program, owner, true, deadline)];
    case 'migrate':
      return [migrateVault(program, owner)];
    case 'revoke':
      return step.sessions.map((session) => revokeSession(program, owner, session));
    case 'redeem':
      return redeem(program, reserve, owner, step.collateral, deadline);
    case 'withdraw':
      return withdraw(program, owner);
    case 'sweep':
      return sweep(program, owner, step, deadline);
    case 'sweep_lamports':
      return [sweepLamports(program, owner)];
    case 'close':
      return [
        ...(holdings.liquid > 0n ? withdraw(program, owner) : []),
        // Closing pays out those of the vault.
        ...(holdings.yieldLamports > 0n ? [sweepLamports(program, owner)] : []),
        closeVault(program, reserve, owner, nextSessionIndex),
      ];
  }
}

/** Donated collateral can be in a vault whose accounts for yield do not all exist. */
function redeem(
  program: WalletProgram,
  reserve: Reserve,
  owner: string,
  collateralAmount: bigint,
  deadline: bigint,
): readonly TransactionInstruction[] {
  const amounts = { amount: EVERYTHING, collateralAmount };
  return [
    initYield(program, reserve, owner),
    ownerYieldWithdraw(program, reserve, owner, amounts, deadline),
  ];
}

function withdraw(program: WalletProgram, owner: string): readonly TransactionInstruction[] {
  const { addresses, usdcMint } = program;
  const own = addresses.usdcAta(owner);
  const create = createAssociatedTokenAccountIdempotentInstruction(
    publicKeyOf(owner),
    publicKeyOf(own),
    publicKeyOf(owner),
    publicKeyOf(usdcMint),
  );
  return [create, ownerWithdraw(program, owner, EVERYTHING, own)];
}

function sweep(
  program: WalletProgram,
  owner: string,
  { account, close }: Extract<LeaveStep, { readonly kind: 'sweep' }>,
  deadline: bigint,
): readonly TransactionInstruction[] {
  const { address, authority, mint, tokenProgram, amount } = account;
  const swept = { authority, tokenAccount: address, mint, tokenProgram, close };
  if (amount === 0n) {
    return [sweepTokenAccount(program, owner, { ...swept, ownerTokenAccount: null }, deadline)];
  }
  const wallet = publicKeyOf(owner);
  const mintKey = publicKeyOf(mint);
  const programKey = publicKeyOf(tokenProgram);
  const own = getAssociatedTokenAddressSync(mintKey, wallet, true, programKey);
  const received = { ...swept, ownerTokenAccount: own.toBase58() };
  return [
    createAssociatedTokenAccountIdempotentInstruction(wallet, own, wallet, mintKey, programKey),
    sweepTokenAccount(program, owner, received, deadline),
  ];
}
