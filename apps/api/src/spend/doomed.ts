import { wouldChainRefuse, type SpendInstruction } from '@agent-wallet/policy';
import type { SpendKind } from '@agent-wallet/spend';
import type { WalletFacts } from '../chain-access.ts';

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
export function isDoomed(
  facts: WalletFacts,
  ask: { readonly kind: SpendKind; readonly amount: bigint; readonly recipient: string | null },
  nowSeconds: bigint,
): boolean {
  const session = facts.sessions[0] ?? null;
  if (session === null || facts.vault === null) return true;
  const refusal = wouldChainRefuse(
    { ...session, paused: facts.vault.paused },
    {
      instruction: INSTRUCTION_OF[ask.kind],
      amount: ask.amount,
      recipient: ask.recipient,
      nowSeconds,
    },
  );
  return refusal !== null;
}
