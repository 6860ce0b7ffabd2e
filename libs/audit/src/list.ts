import { createdWithin, type Database, type SqlTransaction } from '@agent-wallet/db';
import { sql } from 'slonik';
import { z } from 'zod';

const auditRow = z.object({
  auditId: z.string(),
  walletId: z.string(),
  seq: z.bigint(),
  sessionId: z.string().nullable(),
  spendId: z.string().nullable(),
  correction: z.number(),
  action: z.string(),
  amount: z.bigint().nullable(),
  recipient: z.string().nullable(),
  recipientOrUrl: z.string().nullable(),
  decision: z.enum(['allow', 'deny']),
  reason: z.string().nullable(),
  detail: z.string().nullable(),
  txSignature: z.string().nullable(),
  detailSignature: z.string().nullable(),
  createdAt: z.date(),
  previousHash: z.instanceof(Buffer),
  hash: z.instanceof(Buffer),
});

/** A stored audit row. `seq` is its place in the wallet's chain. */
export type AuditRow = z.output<typeof auditRow>;

export type AuditPage = {
  readonly walletId: string;
  readonly decision?: 'allow' | 'deny' | undefined;
  readonly sessionId?: string | undefined;
  /** Rows of this time or later. */
  readonly from?: Date | undefined;
  /** Rows before this time. */
  readonly to?: Date | undefined;
  /** Rows strictly older than this place; the newest rows when absent. */
  readonly beforeSeq?: bigint | undefined;
  readonly limit: number;
};

/**
 * Reads a page of a wallet's log, newest first. Between two times, rows are in the order of their
 * times, which is that of the log as long as the database's clock did not step back: there is an
 * index for it, where the order of the log would read all rows after `to`.
 */
export async function listAudit(db: Database, page: AuditPage): Promise<readonly AuditRow[]> {
  const isTimed = page.from !== undefined || page.to !== undefined;
  return db.any(sql.type(auditRow)`
    select ${auditColumns} from audit
    where ${sql.join(isTimed ? placesInTime(page) : placesInLog(page), sql.fragment` and `)}
      and (${page.decision ?? null}::text is null or decision = ${page.decision ?? null}::text)
      and (${page.sessionId ?? null}::uuid is null or session_id = ${page.sessionId ?? null}::uuid)
    order by ${isTimed ? sql.fragment`created_at desc, seq desc` : sql.fragment`seq desc`}
    limit ${page.limit}
  `);
}

// Only the conditions that apply: behind `is null or`, a kept plan uses no index for them.

function placesInLog({ walletId, beforeSeq }: AuditPage) {
  const places = [sql.fragment`wallet_id = ${walletId}::uuid`];
  if (beforeSeq !== undefined) places.push(sql.fragment`seq < ${beforeSeq}::bigint`);
  return places;
}

function placesInTime({ walletId, from, to, beforeSeq }: AuditPage) {
  const places = [sql.fragment`wallet_id = ${walletId}::uuid`, ...createdWithin({ from, to })];
  if (beforeSeq !== undefined) {
    places.push(sql.fragment`(created_at, seq) < (
      select last.created_at, last.seq from audit last
      where last.wallet_id = ${walletId}::uuid and last.seq = ${beforeSeq}::bigint)`);
  }
  return places;
}

/** Reads the wallet's log from `fromSeq` on, oldest first. */
export async function readChain(
  db: Pick<Database | SqlTransaction, 'any'>,
  { walletId, fromSeq, limit }: { walletId: string; fromSeq: bigint; limit: number },
): Promise<readonly AuditRow[]> {
  return db.any(sql.type(auditRow)`
    select ${auditColumns} from audit
    where wallet_id = ${walletId}::uuid and seq >= ${fromSeq}
    order by seq
    limit ${limit}
  `);
}

const auditColumns = sql.fragment`
  audit_id as "auditId", wallet_id as "walletId", seq, session_id as "sessionId",
  spend_id as "spendId", correction, action, amount, recipient,
  recipient_or_url as "recipientOrUrl", decision, reason, detail, tx_signature as "txSignature",
  detail_signature as "detailSignature", created_at as "createdAt",
  previous_hash as "previousHash", hash
`;
