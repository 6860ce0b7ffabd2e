import type { Database } from '@agent-wallet/db';
import { sql } from 'slonik';
import { z } from 'zod';
import type { WatchedAttempt } from './lease-attempts.ts';

/** Reads the signed bytes of an attempt. A look at an attempt does without them. */
export async function readWire(
  db: Database,
  { spendId, attemptNo }: Pick<WatchedAttempt, 'spendId' | 'attemptNo'>,
): Promise<Uint8Array> {
  return db.oneFirst(sql.type(z.object({ wire: z.instanceof(Buffer) }))`
    select wire from attempt where spend_id = ${spendId}::uuid and attempt = ${attemptNo}
  `);
}
