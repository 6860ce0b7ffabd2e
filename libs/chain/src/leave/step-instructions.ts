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
import type { HeldTokenAccount, Holdings } from './holdings.ts';
import type { LeaveStep } from './plan-leaving.ts';

/** The program does not compare it when pausing. */
const NO_DEADLINE = 0n;

/** The step for these holdings, which must be those that it was planned for. */
export function stepInstructions(
  program: WalletProgram,
  reserve: Reserve,
  holdings: Holdings,
  step: LeaveStep,
): readonly TransactionInstruction[] {
  const { owner } = holdings.vault;
  switch (step.kind) {
    case 'pause':
      return [setPaused(program, owner, true, NO_DEADLINE)];
    case 'migrate':
      return [migrateVault(program, owner)];
    case 'revoke':
      return step.sessions.map((session) => revokeSession(program, owner, session));
    case 'redeem':
      return redeem(program, reserve, owner, step.collateral);
    case 'withdraw':
      return withdraw(program, owner);
    case 'sweep':
      return sweep(program, owner, step.account, step.close);
    case 'sweep_lamports':
      return [sweepLamports(program, owner)];
    case 'close':
      return [
        ...(holdings.liquid > 0n ? withdraw(program, owner) : []),
        // Closing pays out those of the vault.
        ...(holdings.yieldLamports > 0n ? [sweepLamports(program, owner)] : []),
        closeVault(program, reserve, owner),
      ];
  }
}

/** Donated collateral can be in a vault whose accounts for yield do not all exist. */
function redeem(
  program: WalletProgram,
  reserve: Reserve,
  owner: string,
  collateralAmount: bigint,
): readonly TransactionInstruction[] {
  return [
    initYield(program, reserve, owner),
    ownerYieldWithdraw(program, reserve, owner, { amount: EVERYTHING, collateralAmount }),
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
  { address, authority, mint, tokenProgram, amount }: HeldTokenAccount,
  close: boolean,
): readonly TransactionInstruction[] {
  const swept = { authority, tokenAccount: address, mint, tokenProgram, close };
  if (amount === 0n) {
    return [sweepTokenAccount(program, owner, { ...swept, ownerTokenAccount: null })];
  }
  const wallet = publicKeyOf(owner);
  const mintKey = publicKeyOf(mint);
  const programKey = publicKeyOf(tokenProgram);
  const own = getAssociatedTokenAddressSync(mintKey, wallet, true, programKey);
  return [
    createAssociatedTokenAccountIdempotentInstruction(wallet, own, wallet, mintKey, programKey),
    sweepTokenAccount(program, owner, { ...swept, ownerTokenAccount: own.toBase58() }),
  ];
}
