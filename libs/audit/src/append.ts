import { randomUUID } from 'node:crypto';
import type { SqlTransaction } from '@agent-wallet/db';
import { sql } from 'slonik';
import { z } from 'zod';
import { type AuditEntry, fieldsOf, hashEntry } from './entry.ts';

/** The end of a wallet's chain, and the database's time. */
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
  const head = await tx.one(sql.type(auditHead)`
    select audit_seq as seq, audit_head as head,
      date_trunc('milliseconds', clock_timestamp()) as now
    from wallet where wallet_id = ${walletId}::uuid for no key update
  `);
  let { seq, head: previousHash } = head;
  const rows = entries.map((entry) => {
    seq += 1n;
    const place = { auditId: randomUUID(), walletId, seq, createdAt: head.now };
    const hash = hashEntry(previousHash, place, entry);
    const row = [place.auditId, seq, ...fieldsOf(entry), previousHash, hash];
    previousHash = hash;
    return row;
  });
  await tx.query(sql.unsafe`
    with appended as (
      insert into audit (
        wallet_id, created_at, audit_id, seq, session_id, spend_id, correction, action, amount,
        recipient, recipient_or_url, decision, reason, detail, tx_signature, detail_signature,
        previous_hash, hash)
      select ${walletId}::uuid, ${head.now.toISOString()}::timestamptz, told.*
      from ${sql.unnest(rows, ROW_TYPES)} as told
    )
    update wallet set audit_seq = ${seq}, audit_head = ${sql.binary(previousHash)}
    where wallet_id = ${walletId}::uuid
  `);
}

const ROW_TYPES =
  'uuid int8 uuid uuid int4 text numeric text text text text text text text bytea bytea'.split(' ');
