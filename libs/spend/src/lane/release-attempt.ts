import type { Database } from '@agent-wallet/db';
import { sql } from 'slonik';
import { z } from 'zod';

const releasedRow = z.object({
  wire: z.instanceof(Buffer),
  lastValidBlockHeight: z.bigint(),
});

/**
 * The bytes of a payment that a facilitator sends: all but the fee payer's signature, which is
 * zeroed. They can land up to `lastValidBlockHeight`.
 */
export type ReleasedAttempt = z.output<typeof releasedRow>;

/**
 * Records that the bytes leave, and returns them to the one caller that may hand them out first.
 * Null when they are not stored yet, were released before, or are settled; and while intake is
 * closed. The release is committed when this returns.
 */
export async function releaseAttempt(
  db: Database,
  spendId: string,
): Promise<ReleasedAttempt | null> {
  return db.maybeOne(sql.type(releasedRow)`
    with released as (
      update spend set released_at = now()
      where spend_id = ${spendId}::uuid and broadcaster = 'facilitator'
        and status = 'in_flight' and released_at is null and is_open()
      returning spend_id, attempt
    )
    select attempt.wire, attempt.last_valid_block_height as "lastValidBlockHeight"
    from released join attempt on attempt.spend_id = released.spend_id
      and attempt.attempt = released.attempt
  `);
}

/**
 * The same bytes once more, for a header that may have got lost. Null unless they were released
 * and have neither landed nor expired: what has landed is never handed out again.
 */
export async function readReleased(db: Database, spendId: string): Promise<ReleasedAttempt | null> {
  return db.maybeOne(sql.type(releasedRow)`
    select attempt.wire, attempt.last_valid_block_height as "lastValidBlockHeight"
    from spend join attempt on attempt.spend_id = spend.spend_id
      and attempt.attempt = spend.attempt
    where spend.spend_id = ${spendId}::uuid and broadcaster = 'facilitator'
      and status = 'in_flight' and released_at is not null and is_open()
  `);
}
