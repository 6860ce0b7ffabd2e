import { type SpendAnswer, toAmountOut } from '@agent-wallet/contract';
import { isLanded, isPending, isRefused, type Spend } from '@agent-wallet/spend';
import { refusalOfSpend } from '../spend/refuse/refusals.ts';

/** A spend and what became of it, as agents and owners read it. */
export function describeOutcome(
  spend: Spend,
): Omit<SpendAnswer, 'payment_proof_header' | 'upstream'> {
  const { status } = spend;
  const refused = isRefused(status);
  return {
    spend_id: spend.spendId,
    kind: spend.kind,
    status: isPending(status) ? 'pending' : isLanded(status) ? 'confirmed' : 'rejected',
    finalized: spend.finalizedAt !== null,
    amount: toAmountOut(spend.amount),
    recipient_or_url: spend.url ?? spend.recipient,
    tx_signature: spend.txSignature,
    error: refused ? refusalOfSpend(spend).body.error : null,
    code: refused ? spend.code : null,
    detail: refused ? spend.detail : null,
    created_at: spend.createdAt.toISOString(),
    settled_at: spend.settledAt?.toISOString() ?? null,
  };
}
