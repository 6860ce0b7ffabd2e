import type { Database } from '@agent-wallet/db';
import { sql } from 'slonik';

/**
 * Counts a re-send before it is made. Returns false, and the bytes must not be sent, unless the
 * spend is in flight on this attempt, or confirmed by it while its landing is watched again. A
 * refusal in preflight requires the same counter to be 0.
 */
export async function raiseBroadcasts(
  db: Database,
  { spendId, attempt }: { readonly spendId: string; readonly attempt: number },
): Promise<boolean> {
  return db.transaction(async (tx) => {
    const raised = await tx.maybeOne(sql.unsafe`
      update spend set broadcasts = broadcasts + 1
      where spend_id = ${spendId}::uuid and attempt = ${attempt} and broadcaster = 'worker'
        and (status = 'in_flight' or (status = 'confirmed' and exists (
          select 1 from attempt as gone
          where gone.spend_id = spend.spend_id and gone.attempt = spend.attempt
            and gone.signature = spend.tx_signature and gone.state = 'watching')))
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
