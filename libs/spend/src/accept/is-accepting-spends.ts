import type { SqlTransaction } from '@agent-wallet/db';
import { sql } from 'slonik';
import { z } from 'zod';

/** Whether spends are accepted and claimed: intake is closed after a failover or a restore. */
export async function isAcceptingSpends(tx: SqlTransaction): Promise<boolean> {
  return tx.oneFirst(sql.type(z.object({ open: z.boolean() }))`select is_open() as open`);
}
