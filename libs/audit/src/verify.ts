import type { Database } from '@agent-wallet/db';
import { sql } from 'slonik';
import { z } from 'zod';
import { hashEntry } from './entry.ts';
import { readChain } from './list.ts';

/** An intact chain, or the first row that is not as it was written. */
export type AuditVerification =
  | { readonly kind: 'intact'; readonly rows: bigint }
  | { readonly kind: 'broken'; readonly seq: bigint; readonly why: string };

const PAGE_ROWS = 500;

/** Recomputes every hash of a wallet's audit chain and compares it with the stored one. */
export async function verifyAudit(db: Database, walletId: string): Promise<AuditVerification> {
  const head = await db.one(sql.type(z.object({ seq: z.bigint(), hash: z.instanceof(Buffer) }))`
    select audit_seq as seq, audit_head as hash from wallet where wallet_id = ${walletId}::uuid
  `);
  let previousHash = Buffer.alloc(32);
  let seq = 1n;
  while (seq <= head.seq) {
    const rows = await readChain(db, { walletId, fromSeq: seq, limit: PAGE_ROWS });
    if (rows.length === 0) return { kind: 'broken', seq, why: 'row missing' };
    for (const row of rows) {
      if (row.seq > head.seq) break;
      if (row.seq !== seq) return { kind: 'broken', seq, why: 'row missing' };
      if (!row.previousHash.equals(previousHash)) {
        return { kind: 'broken', seq, why: 'previous hash differs' };
      }
      if (!row.hash.equals(hashEntry(previousHash, row, row))) {
        return { kind: 'broken', seq, why: 'row was changed' };
      }
      previousHash = Buffer.from(row.hash);
      seq += 1n;
    }
  }
  if (!head.hash.equals(previousHash)) {
    return { kind: 'broken', seq: head.seq, why: 'head of the chain differs' };
  }
  return { kind: 'intact', rows: head.seq };
}
