import type { Reserve, SpendAction } from '@agent-wallet/chain';
import { AppError } from '@agent-wallet/errors';
import type { Lane, Spend } from '@agent-wallet/spend';

/** Facts of the session and the chain that an action needs beside the row. */
export type ActionFacts = {
  readonly lane: Pick<Lane, 'vaultPda' | 'sessionPubkey'>;
  readonly spendSeq: bigint;
  readonly sessionIndex: bigint;
  /** Null where the chain has none. */
  readonly reserve: Reserve | null;
  /** What a withdrawal from the reserve redeems; null for every other kind. */
  readonly collateralAmount: bigint | null;
};

/**
 * The chain action of a row, one arm per kind. Throws INTERNAL for a row that lacks a field, or
 * whose kind has no instruction.
 */
export function actionOfSpend(spend: Spend, facts: ActionFacts): SpendAction {
  const { reserve, collateralAmount } = facts;
  const common = {
    vault: facts.lane.vaultPda,
    sessionPubkey: facts.lane.sessionPubkey,
    amount: spend.amount,
    spendSeq: facts.spendSeq,
    sessionIndex: facts.sessionIndex,
    spendId: spend.spendId,
  };
  switch (spend.kind) {
    // To the chain a payment is a transfer to the service: the same instruction, the same limits.
    case 'transfer':
    case 'sign_payment':
    case 'pay_service':
      if (spend.recipient === null) throw noBuilder(spend);
      return { kind: 'transfer', ...common, recipient: spend.recipient };
    case 'yield_deposit':
      if (reserve === null) throw noBuilder(spend);
      return { kind: 'yield_deposit', ...common, reserve };
    case 'yield_withdraw':
      if (reserve === null || collateralAmount === null) throw noBuilder(spend);
      return { kind: 'yield_withdraw', ...common, reserve, collateralAmount };
  }
}

function noBuilder({ kind }: Spend): AppError {
  return new AppError('INTERNAL', { reason: `no builder for this ${kind}` });
}
