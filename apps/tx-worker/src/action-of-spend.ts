import type { SpendAction } from '@agent-wallet/chain';
import { AppError } from '@agent-wallet/errors';
import type { Lane, Spend } from '@agent-wallet/spend';

/** What the session and its chain account say beside the row. */
export type ActionFacts = {
  readonly lane: Pick<Lane, 'vaultPda' | 'sessionPubkey'>;
  readonly spendSeq: bigint;
  readonly sessionIndex: bigint;
};

/**
 * What a row does on chain, one arm per kind. Throws INTERNAL for a row that says too little, or
 * whose kind has no instruction.
 */
export function actionOfSpend(spend: Spend, facts: ActionFacts): SpendAction {
  const { lane, spendSeq, sessionIndex } = facts;
  switch (spend.kind) {
    // To the chain a payment is a transfer to the service: the same instruction, the same limits.
    case 'transfer':
    case 'sign_payment':
    case 'pay_service':
      if (spend.recipient === null) throw noBuilder(spend);
      return {
        kind: 'transfer',
        vault: lane.vaultPda,
        sessionPubkey: lane.sessionPubkey,
        recipient: spend.recipient,
        amount: spend.amount,
        spendSeq,
        sessionIndex,
        spendId: spend.spendId,
      };
    case 'yield_deposit':
    case 'yield_withdraw':
      throw noBuilder(spend);
  }
}

function noBuilder({ kind }: Spend): AppError {
  return new AppError('INTERNAL', { reason: `no builder for this ${kind}` });
}
