import type { Database } from '@agent-wallet/db';
import { type QuerySqlToken, sql } from 'slonik';
import { listAudit } from '@agent-wallet/audit';
import { hashEntry } from '../../../libs/audit/src/entry.ts';

/** Changes the log with the rights of the database owner. */
export async function forgeLog(db: Database, statements: readonly QuerySqlToken[]): Promise<void> {
  await db.query(sql.unsafe`alter table audit disable trigger user`);
  try {
    for (const statement of statements) await db.query(statement);
  } finally {
    await db.query(sql.unsafe`alter table audit enable trigger user`);
  }
}

/** Recomputes each hash of a wallet's log, as an expert forger would. */
export async function hashAnew(db: Database, walletId: string): Promise<void> {
  const rows = await listAudit(db, { walletId, limit: 1_000 });
  let previous = Buffer.alloc(32);
  const statements: QuerySqlToken[] = [];
  for (const row of rows.toReversed()) {
    const hash = hashEntry(previous, row, row);
    statements.push(sql.unsafe`
      update audit set previous_hash = ${sql.binary(previous)}, hash = ${sql.binary(hash)}
      where audit_id = ${row.auditId}::uuid
    `);
    previous = Buffer.from(hash);
  }
  statements.push(sql.unsafe`
    update wallet set audit_head = ${sql.binary(previous)} where wallet_id = ${walletId}::uuid
  `);
  await forgeLog(db, statements);
}
