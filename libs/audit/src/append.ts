import { randomUUID } from 'node:crypto';
import type { SqlTransaction } from '@agent-wallet/db';
import { sql } from 'slonik';
import { z } from 'zod';
import { type AuditEntry, fieldsOf, hashEntry } from './entry.ts';

const auditHead = z.object({ seq: z.bigint(), head: z.instanceof(Buffer), now: z.date() });

/** The end of a wallet's chain, while its wallet row is locked, and the database's time. */
export type AuditHead = z.output<typeof auditHead>;

const headColumns = sql.fragment`
  audit_seq as seq, audit_head as head, date_trunc('milliseconds', clock_timestamp()) as now
`;

/**
 * Locks the wallet row and reads the end of its chain. `waitMs` bounds this wait for a lock and the
 * later ones of the SQL transaction: a longer one throws Postgres' 55P03.
 */
export async function lockAuditHead(
  tx: SqlTransaction,
  walletId: string,
  waitMs: number,
): Promise<AuditHead> {
  // Postgres locks the row after the join, so the limit is set by then.
  return tx.one(sql.type(auditHead)`
    with lock_wait as materialized (select set_config('lock_timeout', ${String(waitMs)}, true))
    select ${headColumns} from lock_wait, wallet where wallet_id = ${walletId}::uuid
    for no key update of wallet
  `);
}

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
    select ${headColumns} from wallet where wallet_id = ${walletId}::uuid for no key update
  `);
  await appendAfter(tx, walletId, { head, entries });
}

/**
 * Appends rows after a head that this SQL transaction has locked, in one statement. `settledSlot`
 * is the newest slot of the landings among them; balances read before it are too old for this
 * wallet from now on.
 */
export async function appendAfter(
  tx: SqlTransaction,
  walletId: string,
  {
    head,
    entries,
    settledSlot,
  }: {
    readonly head: AuditHead;
    readonly entries: readonly AuditEntry[];
    readonly settledSlot?: bigint;
  },
): Promise<void> {
  let { seq, head: previousHash } = head;
  const rows = entries.map((entry) => {
    seq += 1n;
    const place = { auditId: randomUUID(), walletId, seq, createdAt: head.now };
    const hash = hashEntry(previousHash, place, entry);
    const row = [place.auditId, seq, ...fieldsOf(entry), previousHash, hash];
    previousHash = hash;
    return row;
  });
  const raised =
    settledSlot === undefined
      ? sql.fragment``
      : sql.fragment`, last_settled_slot = greatest(last_settled_slot, ${settledSlot})`;
  await tx.query(sql.unsafe`
    with appended as (
      insert into audit (
        wallet_id, created_at, audit_id, seq, session_id, spend_id, correction, action, amount,
        recipient, recipient_or_url, decision, reason, detail, tx_signature, detail_signature,
        previous_hash, hash)
      select ${walletId}::uuid, ${head.now.toISOString()}::timestamptz, told.*
      from ${sql.unnest(rows, ROW_TYPES)} as told
    )
    update wallet set audit_seq = ${seq}, audit_head = ${sql.binary(previousHash)} ${raised}
    where wallet_id = ${walletId}::uuid
  `);
}

const ROW_TYPES =
  'uuid int8 uuid uuid int4 text numeric text text text text text text text bytea bytea'.split(' ');
