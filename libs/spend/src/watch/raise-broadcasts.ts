import type { Database } from '@agent-wallet/db';
import { sql } from 'slonik';
import { z } from 'zod';

const bytesRow = z.object({ wire: z.instanceof(Buffer) });

/**
 * Counts a re-send before it is made, and returns the bytes to send. Null, and nothing must be
 * sent, unless the spend is in flight on this attempt, or confirmed by it while its landing is
 * watched again. A refusal in preflight requires the same counter to be 0.
 */
export async function raiseBroadcasts(
  db: Database,
  { spendId, attempt }: { readonly spendId: string; readonly attempt: number },
): Promise<Uint8Array | null> {
  return db.transaction(async (tx) => {
    const raised = await tx.maybeOne(sql.type(bytesRow)`
      update spend set broadcasts = broadcasts + 1
      from attempt as stored
      where spend.spend_id = ${spendId}::uuid and spend.attempt = ${attempt}
        and broadcaster = 'worker'
        and stored.spend_id = spend.spend_id and stored.attempt = spend.attempt
        and (status = 'in_flight' or (status = 'confirmed' and stored.signature = tx_signature
          and exists (select 1 from attempt_watch as watch
            where watch.spend_id = stored.spend_id and watch.attempt = stored.attempt)))
      returning stored.wire
    `);
    if (raised === null) return null;
    await tx.query(sql.unsafe`
      update attempt_watch set last_broadcast_at = now()
      where spend_id = ${spendId}::uuid and attempt = ${attempt}
    `);
    return raised.wire;
  });
}
