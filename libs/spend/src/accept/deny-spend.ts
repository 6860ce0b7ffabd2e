import { appendAudit, type AuditEntry } from '@agent-wallet/audit';
import type { SqlTransaction } from '@agent-wallet/db';
import type { Spend } from '../spend.ts';

type Refusal = {
  readonly reason: string;
  readonly detail: string | null;
  /** Of a transaction that landed and failed. */
  readonly detailSignature?: string;
};

/** Writes the deny decision of a spend that the caller has just moved to a refused state. */
export const denySpend = (tx: SqlTransaction, spend: Spend, refusal: Refusal): Promise<void> =>
  appendAudit(tx, spend.walletId, [denialOf(spend, refusal)]);

/** The audit row of that decision. */
export const denialOf = (spend: Spend, refusal: Refusal): AuditEntry => ({
  ...auditFacts(spend),
  correction: 0,
  decision: 'deny',
  reason: refusal.reason,
  detail: refusal.detail,
  txSignature: null,
  detailSignature: refusal.detailSignature ?? null,
});

/** The fields of the request that every audit row of a spend repeats. */
export function auditFacts(
  spend: Pick<Spend, 'sessionId' | 'spendId' | 'kind' | 'amount' | 'recipient' | 'url'>,
): Pick<
  AuditEntry,
  'sessionId' | 'spendId' | 'action' | 'amount' | 'recipient' | 'recipientOrUrl'
> {
  return {
    sessionId: spend.sessionId,
    spendId: spend.spendId,
    action: spend.kind,
    amount: spend.amount,
    recipient: spend.recipient,
    recipientOrUrl: spend.url ?? spend.recipient,
  };
}
