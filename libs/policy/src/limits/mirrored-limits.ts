/**
 * A mirror of the program's limits, evaluated before the chain does. It never refuses a request,
 * because only the chain refuses; it predicts a refusal, so that the spend reserves nothing.
 */

import { countedSpend, type SpendWindow } from './spend-window.ts';

/** Bits of a session's `allowed_instructions`. */
export const INSTRUCTION_BIT = { transfer_usdc: 1, yield_deposit: 2, yield_withdraw: 4 } as const;

export type SpendInstruction = keyof typeof INSTRUCTION_BIT;

/** The state that the program evaluates. Amounts in base units, `expiry` in unix seconds. */
export type LimitState = {
  readonly paused: boolean;
  readonly expiry: bigint;
  readonly allowedInstructions: number;
  readonly maxPerTx: bigint;
  readonly dailyCap: bigint;
  readonly recipients: readonly string[];
  readonly window: SpendWindow;
};

/** `recipient` applies to transfers only. */
export type PlannedSpend = {
  readonly instruction: SpendInstruction;
  readonly amount: bigint;
  readonly recipient: string | null;
  readonly nowSeconds: bigint;
};

export type LimitRefusal =
  | 'VaultPaused'
  | 'SessionExpired'
  | 'InstructionNotAllowed'
  | 'InvalidAmount'
  | 'AmountExceedsMaxPerTx'
  | 'RecipientNotAllowed'
  | 'DailyCapExceeded';

/** A vault's side of yield. Amounts in base units, the fraction in basis points. */
export type YieldState = {
  readonly liquid: bigint;
  readonly deployed: bigint;
  readonly maxDeployedFractionBp: number;
};

const WHOLE_BP = 10_000n;

/**
 * The program's error for a yield instruction, as far as the vault decides it; null when it passes.
 * The reserve may still refuse.
 */
export function predictVaultRefusal(
  vault: YieldState,
  spend: { readonly instruction: 'yield_deposit' | 'yield_withdraw'; readonly amount: bigint },
): 'DeployedFractionExceeded' | 'WithdrawExceedsDeployed' | null {
  const { liquid, deployed } = vault;
  if (spend.instruction === 'yield_withdraw') {
    return spend.amount > deployed ? 'WithdrawExceedsDeployed' : null;
  }
  // Cross-multiplied, so that no rounding widens the limit; a total of 0 allows nothing.
  const most = BigInt(vault.maxDeployedFractionBp) * (liquid + deployed);
  return (deployed + spend.amount) * WHOLE_BP > most ? 'DeployedFractionExceeded' : null;
}

/** The error that the program would return, checked in its order; null when these limits pass. */
export function predictProgramRefusal(state: LimitState, spend: PlannedSpend): LimitRefusal | null {
  if (state.paused) return 'VaultPaused';
  if (spend.nowSeconds > state.expiry) return 'SessionExpired';
  const bit = INSTRUCTION_BIT[spend.instruction];
  if ((state.allowedInstructions & bit) === 0) return 'InstructionNotAllowed';
  if (spend.amount <= 0n) return 'InvalidAmount';
  if (spend.instruction !== 'transfer_usdc') return null;
  if (spend.amount > state.maxPerTx) return 'AmountExceedsMaxPerTx';
  if (spend.recipient === null || !state.recipients.includes(spend.recipient)) {
    return 'RecipientNotAllowed';
  }
  const spent = countedSpend(state.window, spend.nowSeconds);
  return spent + spend.amount > state.dailyCap ? 'DailyCapExceeded' : null;
}
