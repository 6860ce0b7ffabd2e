import type { AuditRow } from './list.ts';

/** A row as owners read it, over the API and in webhooks. Without the hashes. */
export const describeAuditRow = (row: AuditRow) => ({
  id: row.auditId,
  wallet_id: row.walletId,
  session_id: row.sessionId,
  spend_id: row.spendId,
  correction: row.correction,
  action: row.action,
  amount: row.amount?.toString() ?? null,
  recipient: row.recipient,
  recipient_or_url: row.recipientOrUrl,
  decision: row.decision,
  reason: row.reason,
  detail: row.detail,
  tx_signature: row.txSignature,
  detail_signature: row.detailSignature,
  created_at: row.createdAt.toISOString(),
});
