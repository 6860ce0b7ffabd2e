import { appendAudit, type AuditEntry } from '@agent-wallet/audit';
import type { SqlTransaction } from '@agent-wallet/db';
import { sql } from 'slonik';
import { z } from 'zod';
import type { Spend } from '../spend.ts';
import { auditFacts } from '../accept/deny-spend.ts';

type Correction = Pick<
  AuditEntry,
  'decision' | 'reason' | 'detail' | 'txSignature' | 'detailSignature'
>;

/** Writes the next numbered correction of a spend's decision; the newest one holds. */
export async function correctSpend(
  tx: SqlTransaction,
  spend: Spend,
  told: Correction,
): Promise<void> {
  const correction = await tx.oneFirst(sql.type(z.object({ next: z.number() }))`
    select coalesce(max(correction) + 1, 1) as next from audit
    where spend_id = ${spend.spendId}::uuid
  `);
  await appendAudit(tx, spend.walletId, [{ ...auditFacts(spend), correction, ...told }]);
}
