import type { Database } from '@agent-wallet/db';
import { sql } from 'slonik';

/** Gives the lane back before its lease ends; does nothing when another holder has it by now. */
export async function releaseLease(
  db: Database,
  lease: { readonly sessionId: string; readonly fence: bigint },
): Promise<void> {
  await db.query(sql.unsafe`
    update lane set lease_until = '-infinity', holder = null
    where session_id = ${lease.sessionId}::uuid and fence = ${lease.fence}
  `);
}
