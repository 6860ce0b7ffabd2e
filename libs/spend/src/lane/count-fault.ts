import type { Database } from '@agent-wallet/db';
import { sql } from 'slonik';
import { z } from 'zod';

/** Counts a fault that happened before an attempt was stored; returns the total. */
export async function countFault(db: Database, spendId: string): Promise<number> {
  const faults = await db.maybeOneFirst(sql.type(z.object({ faults: z.number() }))`
    update spend set faults = faults + 1
    where spend_id = ${spendId}::uuid and status = 'queued'
    returning faults
  `);
  return faults ?? 0;
}
