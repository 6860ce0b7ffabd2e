import {
  type SpendInstruction,
  predictProgramRefusal,
  predictVaultRefusal,
} from '@agent-wallet/policy';
import type { SpendKind } from '@agent-wallet/spend';
import type { WalletFacts } from '../chain/chain-access.ts';

export const INSTRUCTION_OF: Readonly<Record<SpendKind, SpendInstruction>> = {
  transfer: 'transfer_usdc',
  sign_payment: 'transfer_usdc',
  pay_service: 'transfer_usdc',
  yield_deposit: 'yield_deposit',
  yield_withdraw: 'yield_withdraw',
};

/**
 * Whether the program's limits, as last read, already refuse this spend. It goes to the chain all
 * the same, because the chain's words are the answer; it only reserves nothing on its way.
 */
export function hasPredictedRefusal(
  facts: WalletFacts,
  ask: { readonly kind: SpendKind; readonly amount: bigint; readonly recipient: string | null },
  nowSeconds: bigint,
): boolean {
  const session = facts.sessions[0] ?? null;
  const { vault, liquid } = facts;
  if (session === null || vault === null) return true;
  if (ask.kind === 'yield_deposit' || ask.kind === 'yield_withdraw') {
    const { deployedAmount: deployed, maxDeployedFractionBp } = vault;
    const refusal = predictVaultRefusal(
      { liquid, deployed, maxDeployedFractionBp },
      { instruction: ask.kind, amount: ask.amount },
    );
    if (refusal !== null) return true;
  }
  const refusal = predictProgramRefusal(
    { ...session, paused: vault.paused },
    {
      instruction: INSTRUCTION_OF[ask.kind],
      amount: ask.amount,
      recipient: ask.recipient,
      nowSeconds,
    },
  );
  return refusal !== null;
}
