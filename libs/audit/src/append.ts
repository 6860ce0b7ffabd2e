import { randomUUID } from 'node:crypto';
import type { Database, SqlTransaction } from '@agent-wallet/db';
import { sql } from 'slonik';
import { z } from 'zod';
import { type AuditEntry, type Denial, hashEntry } from './entry.ts';

const auditHead = z.object({ seq: z.bigint(), head: z.instanceof(Buffer), now: z.date() });

/**
 * Appends rows to the wallet's chain inside the caller's SQL transaction, and locks the wallet row.
 * A second decision on a spend violates `audit_one_decision`, which rolls the transaction back.
 */
export async function appendAudit(
  tx: SqlTransaction,
  walletId: string,
  entries: readonly AuditEntry[],
): Promise<void> {
  if (entries.length === 0) return;
  const { seq, head, now } = await tx.one(sql.type(auditHead)`
    select audit_seq as seq, audit_head as head,
      date_trunc('milliseconds', clock_timestamp()) as now
    from wallet where wallet_id = ${walletId}::uuid for update
  `);
  let previousHash = head;
  let last = seq;
  for (const entry of entries) {
    last += 1n;
    const place = { auditId: randomUUID(), walletId, seq: last, createdAt: now };
    const hash = hashEntry(previousHash, place, entry);
    await tx.query(sql.unsafe`
      insert into audit (
        audit_id, wallet_id, seq, session_id, spend_id, correction, action, amount, recipient,
        recipient_or_url, decision, reason, detail, tx_signature, detail_signature, created_at,
        previous_hash, hash)
      values (
        ${place.auditId}::uuid, ${walletId}::uuid, ${last}, ${entry.sessionId}::uuid,
        ${entry.spendId}::uuid, ${entry.correction}, ${entry.action},
        ${entry.amount?.toString() ?? null}::numeric, ${entry.recipient}, ${entry.recipientOrUrl},
        ${entry.decision}, ${entry.reason}, ${entry.detail}, ${entry.txSignature},
        ${entry.detailSignature}, ${now.toISOString()}::timestamptz, ${sql.binary(previousHash)},
        ${sql.binary(hash)})
    `);
    previousHash = hash;
  }
  await tx.query(sql.unsafe`
    update wallet set audit_seq = ${last}, audit_head = ${sql.binary(previousHash)}
    where wallet_id = ${walletId}::uuid
  `);
}

/** Appends the deny row of a request that was refused before it became a spend. */
export async function recordDenial(db: Database, denial: Denial): Promise<void> {
  await db.transaction((tx) =>
    appendAudit(tx, denial.walletId, [
      {
        sessionId: denial.sessionId,
        spendId: null,
        correction: 0,
        action: denial.action,
        amount: denial.amount,
        recipient: denial.recipient,
        recipientOrUrl: denial.recipientOrUrl,
        decision: 'deny',
        reason: denial.reason,
        detail: denial.detail,
        txSignature: null,
        detailSignature: null,
      },
    ]),
  );
}
