import type { Database } from '@agent-wallet/db';
import { sql } from 'slonik';

/**
 * Counts a re-send before it is made. False when the spend is not in flight on this attempt any
 * more: then the bytes stay here. A refusal in preflight asks for the same counter to be 0.
 */
export async function raiseBroadcasts(
  db: Database,
  { spendId, attempt }: { readonly spendId: string; readonly attempt: number },
): Promise<boolean> {
  return db.transaction(async (tx) => {
    const raised = await tx.maybeOne(sql.unsafe`
      update spend set broadcasts = broadcasts + 1
      where spend_id = ${spendId}::uuid and status = 'in_flight' and attempt = ${attempt}
        and broadcaster = 'worker'
      returning 1 as one
    `);
    if (raised === null) return false;
    await tx.query(sql.unsafe`
      update attempt set last_broadcast_at = now()
      where spend_id = ${spendId}::uuid and attempt = ${attempt}
    `);
    return true;
  });
}
