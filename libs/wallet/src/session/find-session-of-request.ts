import type { Database, SqlTransaction } from '@agent-wallet/db';
import { sql } from 'slonik';
import { z } from 'zod';

const sessionOfRequest = z.object({ sessionId: z.string(), requestDigest: z.instanceof(Buffer) });

/** A session and the SHA-256 of the request that created it. */
export type SessionOfRequest = z.output<typeof sessionOfRequest>;

/** The session that the wallet's owner created under this Idempotency-Key; null when there is none. */
export async function findSessionOfRequest(
  db: Pick<Database | SqlTransaction, 'maybeOne'>,
  walletId: string,
  idempotencyKey: string,
): Promise<SessionOfRequest | null> {
  return db.maybeOne(sql.type(sessionOfRequest)`
    select session_id as "sessionId", request_digest as "requestDigest" from session
    where wallet_id = ${walletId}::uuid and idempotency_key = ${idempotencyKey}
  `);
}
