import {
  predictProgramRefusal,
  predictVaultRefusal,
  type SpendInstruction,
} from '@agent-wallet/policy';
import { isYield, type SpendKind } from '@agent-wallet/spend';
import type { WalletFacts } from '../../chain/chain-access.ts';

export const INSTRUCTION_OF: Readonly<Record<SpendKind, SpendInstruction>> = {
  transfer: 'transfer_usdc',
  sign_payment: 'transfer_usdc',
  pay_service: 'transfer_usdc',
  yield_deposit: 'yield_deposit',
  yield_withdraw: 'yield_withdraw',
};

/**
 * Whether the program's limits, as last read, already refuse this spend. It goes to the chain all
 * the same, because the chain's refusal is the answer; but it reserves nothing on its way.
 */
export function hasPredictedRefusal(
  facts: WalletFacts,
  spend: { readonly kind: SpendKind; readonly amount: bigint; readonly recipient: string | null },
  nowSeconds: bigint,
): boolean {
  const { kind, amount, recipient } = spend;
  const { vault, liquid } = facts;
  const session = facts.sessions[0] ?? null;
  if (session === null || vault === null) return true;
  if (isYield(kind)) {
    const { deployedAmount: deployed, maxDeployedFractionBp } = vault;
    const held = { liquid, deployed, maxDeployedFractionBp };
    if (predictVaultRefusal(held, { instruction: kind, amount }) !== null) return true;
  }
  const instruction = INSTRUCTION_OF[kind];
  const limits = { ...session, paused: vault.paused };
  return predictProgramRefusal(limits, { instruction, amount, recipient, nowSeconds }) !== null;
}
