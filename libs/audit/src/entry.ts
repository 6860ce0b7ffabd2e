import { createHash } from 'node:crypto';

/** An audit row without its place in the wallet's chain. Amounts are base units. */
export type AuditEntry = {
  readonly sessionId: string | null;
  readonly spendId: string | null;
  /** 0 is the decision on a spend; 1, 2 … correct it after a fork. */
  readonly correction: number;
  readonly action: string;
  readonly amount: bigint | null;
  readonly recipient: string | null;
  readonly recipientOrUrl: string | null;
  readonly decision: 'allow' | 'deny';
  readonly reason: string | null;
  readonly detail: string | null;
  readonly txSignature: string | null;
  /** Signature of a landed transaction that reverted, in a deny row. */
  readonly detailSignature: string | null;
};

/** A refusal of a request that did not become a spend. */
export type Denial = {
  readonly walletId: string;
  readonly sessionId: string;
  readonly action: string;
  readonly amount: bigint;
  readonly recipient: string | null;
  readonly recipientOrUrl: string | null;
  readonly reason: string;
  readonly detail: string | null;
};

/** The place of a row in its wallet's chain. */
export type AuditPlace = {
  readonly auditId: string;
  readonly walletId: string;
  readonly seq: bigint;
  readonly createdAt: Date;
};

/** The stored fields of an entry in the order in which they are hashed and inserted. */
export function fieldsOf(entry: AuditEntry): readonly (string | number | null)[] {
  return [
    entry.sessionId,
    entry.spendId,
    entry.correction,
    entry.action,
    entry.amount?.toString() ?? null,
    entry.recipient,
    entry.recipientOrUrl,
    entry.decision,
    entry.reason,
    entry.detail,
    entry.txSignature,
    entry.detailSignature,
  ];
}

/**
 * The JSON array that is hashed, before and after the row's position and time. The function
 * `audit_hash` of the database puts them between.
 */
export function encodeAround(
  { auditId, walletId }: Pick<AuditPlace, 'auditId' | 'walletId'>,
  entry: AuditEntry,
): { readonly before: string; readonly after: string } {
  const before = JSON.stringify([auditId, walletId]);
  const after = JSON.stringify(fieldsOf(entry));
  return { before: `${before.slice(0, -1)},`, after: `,${after.slice(1)}` };
}

/**
 * Returns the sha256 of the previous hash and every stored field in a fixed order. An edited,
 * removed or reordered row breaks the chain at that row. The function `audit_hash` of the database
 * forms the same text.
 */
export function hashEntry(previousHash: Buffer, place: AuditPlace, entry: AuditEntry): Buffer {
  const { before, after } = encodeAround(place, entry);
  const text = `${before}"${place.seq}","${place.createdAt.toISOString()}"${after}`;
  return createHash('sha256').update(previousHash).update(text).digest();
}
