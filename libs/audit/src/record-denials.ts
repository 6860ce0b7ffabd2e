import { randomUUID } from 'node:crypto';
import { type Database, retryRolledBack, retryWhileHeld } from '@agent-wallet/db';
import { type FragmentSqlToken, sql } from 'slonik';
import { z } from 'zod';
import { type AuditEntry, type Denial, encodeAround } from './entry.ts';

const recordedRow = z.object({ walletId: z.string() });

/**
 * Appends the deny rows of requests that were refused before they became spends, in one SQL
 * transaction. Returns the wallets whose rows it appended: all of them but those whose row another
 * SQL transaction holds, so that a busy wallet does not delay the others.
 */
export async function recordDenials(
  db: Database,
  denials: readonly Denial[],
): Promise<ReadonlySet<string>> {
  const append = appendDenials(denials);
  const recorded = await retryRolledBack(() =>
    db.any(sql.type(recordedRow)`select ${append} as "walletId"`),
  );
  return new Set(recorded.map(({ walletId }) => walletId));
}

/**
 * The same for one wallet, after a wait for its row. Throws Postgres' 55P03 while another SQL
 * transaction holds it for more than 3 s.
 */
export async function recordDenialsOf(
  db: Database,
  walletId: string,
  denials: readonly Denial[],
): Promise<void> {
  const append = appendDenials(denials);
  const run = () =>
    db.one(sql.type(recordedRow)`
      select ${append} as "walletId"
      from (select hold_wallet(${walletId}::uuid)) as held
    `);
  await retryWhileHeld(() => retryRolledBack(run));
}

/**
 * A call of the function `append_denials` of the database, which gives each row its place in its
 * wallet's chain, so that this takes one round trip.
 */
function appendDenials(denials: readonly Denial[]): FragmentSqlToken {
  const rows = denials
    .toSorted((one, other) => compareTexts(one.walletId, other.walletId))
    .map((denial) => {
      const auditId = randomUUID();
      const { before, after } = encodeAround({ ...denial, auditId }, entryOf(denial));
      return { ...denial, auditId, amount: denial.amount.toString(), before, after };
    });
  const column = (
    of: (row: (typeof rows)[number]) => string | null,
    type: 'uuid' | 'text' | 'numeric',
  ) => sql.array(rows.map(of), type);
  return sql.fragment`append_denials(
    ${column((row) => row.walletId, 'uuid')}, ${column((row) => row.auditId, 'uuid')},
    ${column((row) => row.sessionId, 'uuid')}, ${column((row) => row.action, 'text')},
    ${column((row) => row.amount, 'numeric')}, ${column((row) => row.recipient, 'text')},
    ${column((row) => row.recipientOrUrl, 'text')}, ${column((row) => row.reason, 'text')},
    ${column((row) => row.detail, 'text')}, ${column((row) => row.before, 'text')},
    ${column((row) => row.after, 'text')})`;
}

const compareTexts = (one: string, other: string): number =>
  one === other ? 0 : one < other ? -1 : 1;

const entryOf = (denial: Denial): AuditEntry => ({
  ...denial,
  spendId: null,
  correction: 0,
  decision: 'deny',
  txSignature: null,
  detailSignature: null,
});
