import type { Database } from '@agent-wallet/db';
import { sql } from 'slonik';
import { z } from 'zod';
import { mayBeSigned, type Spend, spendColumns, spendRow } from '../spend.ts';

/**
 * A queued spend; `overdue` when its time is over: for the first claim, or, once an attempt has
 * expired, for being signed again.
 */
export type QueuedSpend = Spend & { readonly overdue: boolean };

/** The session's queued spends in the order in which they were accepted. */
export async function listQueued(
  db: Database,
  { sessionId, limit }: { readonly sessionId: string; readonly limit: number },
): Promise<readonly QueuedSpend[]> {
  return db.any(sql.type(spendRow.extend({ overdue: z.boolean() }))`
    select ${spendColumns}, not (${mayBeSigned}) as overdue from spend
    where session_id = ${sessionId}::uuid and settled_at is null and status = 'queued'
    order by accepted_no
    limit ${limit}
  `);
}
