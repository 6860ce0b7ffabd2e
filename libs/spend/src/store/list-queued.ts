import type { Database } from '@agent-wallet/db';
import { sql } from 'slonik';
import { z } from 'zod';
import { type Spend, spendColumns, spendRow } from '../spend.ts';

/** A queued spend; `overdue` when it was never claimed and its time for that is over. */
export type QueuedSpend = Spend & { readonly overdue: boolean };

/** The session's queued spends in the order in which they were accepted. */
export async function listQueued(
  db: Database,
  { sessionId, limit }: { readonly sessionId: string; readonly limit: number },
): Promise<readonly QueuedSpend[]> {
  return db.any(sql.type(spendRow.extend({ overdue: z.boolean() }))`
    select ${spendColumns}, attempt = 0 and not_after <= now() as overdue from spend
    where session_id = ${sessionId}::uuid and status = 'queued'
    order by accepted_no
    limit ${limit}
  `);
}
