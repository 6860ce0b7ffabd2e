import type { Database, SqlTransaction } from '@agent-wallet/db';
import { type FragmentSqlToken, sql } from 'slonik';
import { z } from 'zod';
import { EXPORTED, type ExportedTable } from './tables.ts';

/** Also in the text of the statement, which takes no parameter. */
const PAGE_ROWS = 500;
const MAX_PAGES = 10_000_000;

const line = z.object({ row: z.string() });

/**
 * Passes every row that belongs to a wallet to `write`, as JSON texts `{"table":…,"row":{…}}` of one
 * moment, without holding more than a page. Amounts are numbers of base units with all digits. Returns
 * the numbers of rows by table; null when there is no such wallet.
 */
export async function exportWallet(
  db: Database,
  walletId: string,
  write: (text: string) => Promise<void>,
): Promise<Readonly<Record<string, number>> | null> {
  return db.transaction(async (tx) => {
    await tx.query(sql.unsafe`set transaction isolation level repeatable read, read only`);
    if (!(await tx.exists(sql.unsafe`select 1 from wallet where wallet_id = ${walletId}::uuid`))) {
      return null;
    }
    const counts: Record<string, number> = {};
    for (const table of EXPORTED) {
      counts[table.table] = await exportTable(tx, table, walletId, write);
    }
    return counts;
  });
}

async function exportTable(
  tx: SqlTransaction,
  { table, of, without = {} }: ExportedTable,
  walletId: string,
  write: (text: string) => Promise<void>,
): Promise<number> {
  const hidden = sql.array(Object.keys(without), 'text');
  await tx.query(sql.unsafe`
    declare exported no scroll cursor for
    select (to_jsonb(exported_row) - ${hidden})::text as row
    from ${sql.identifier([table])} as exported_row where ${conditionOf(of, walletId)}
  `);
  let rows = 0;
  for (let page = 0; page < MAX_PAGES; page += 1) {
    const read = await tx.any(sql.type(line)`fetch forward 500 from exported`);
    for (const { row } of read) await write(`{"table":"${table}","row":${row}}`);
    rows += read.length;
    if (read.length < PAGE_ROWS) break;
  }
  await tx.query(sql.unsafe`close exported`);
  return rows;
}

function conditionOf(of: ExportedTable['of'], walletId: string): FragmentSqlToken {
  const wallet = sql.fragment`select * from wallet where wallet_id = ${walletId}::uuid`;
  switch (of) {
    case 'wallet_id':
      return sql.fragment`wallet_id = ${walletId}::uuid`;
    case 'session_id':
      return sql.fragment`session_id in (
        select session_id from session where wallet_id = ${walletId}::uuid)`;
    case 'spend_id':
      return sql.fragment`spend_id in (
        select spend_id from spend where wallet_id = ${walletId}::uuid)`;
    case 'endpoint_id':
      return sql.fragment`endpoint_id in (
        select endpoint_id from webhook_endpoint where wallet_id = ${walletId}::uuid)`;
    case 'owner':
      return sql.fragment`owner = (select owner from (${wallet}) as its)`;
    case 'vault':
      return sql.fragment`vault = (select vault_pda from (${wallet}) as its)`;
  }
}
