import type { Database, SqlTransaction } from '@agent-wallet/db';
import { sql } from 'slonik';
import { z } from 'zod';
import { type Spend, spendColumns, spendRow } from '../spend.ts';

const keyedSpendRow = spendRow.extend({ requestDigest: z.instanceof(Buffer) });

/**
 * The spend that an Idempotency-Key of this session is bound to, with the digest of its request.
 */
export async function findByIdempotencyKey(
  db: Database | SqlTransaction,
  sessionId: string,
  idempotencyKey: string,
): Promise<{ readonly spend: Spend; readonly requestDigest: Buffer } | null> {
  const row = await db.maybeOne(sql.type(keyedSpendRow)`
    select ${spendColumns}, request_digest as "requestDigest" from spend
    where session_id = ${sessionId}::uuid and idempotency_key = ${idempotencyKey}
  `);
  if (row === null) return null;
  const { requestDigest, ...spend } = row;
  return { spend, requestDigest };
}
