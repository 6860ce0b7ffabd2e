import { randomUUID } from 'node:crypto';
import type { Database } from '@agent-wallet/db';
import { sql } from 'slonik';
import { type AuditEntry, type Denial, encodeAround } from './entry.ts';

/**
 * Appends the deny rows of requests of one wallet that were refused before they became spends, in
 * one SQL transaction. The function `append_denials` of the database gives each row its place in
 * the chain, so that it takes one round trip.
 */
export async function recordDenials(
  db: Database,
  walletId: string,
  denials: readonly Denial[],
): Promise<void> {
  const rows = denials.map((denial) => {
    const entry: AuditEntry = {
      ...denial,
      spendId: null,
      correction: 0,
      decision: 'deny',
      txSignature: null,
      detailSignature: null,
    };
    const auditId = randomUUID();
    return { ...denial, auditId, ...encodeAround({ auditId, walletId }, entry) };
  });
  const column = (of: (row: (typeof rows)[number]) => string | null, type: 'uuid' | 'text') =>
    sql.array(rows.map(of), type);
  await db.query(sql.unsafe`
    select append_denials(
      ${walletId}::uuid, ${column((row) => row.auditId, 'uuid')},
      ${column((row) => row.sessionId, 'uuid')}, ${column((row) => row.action, 'text')},
      ${sql.array(
        rows.map((row) => row.amount.toString()),
        'numeric',
      )},
      ${column((row) => row.recipient, 'text')}, ${column((row) => row.recipientOrUrl, 'text')},
      ${column((row) => row.reason, 'text')}, ${column((row) => row.detail, 'text')},
      ${column((row) => row.before, 'text')}, ${column((row) => row.after, 'text')})
  `);
}
