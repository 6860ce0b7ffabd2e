import type { Database } from '@agent-wallet/db';
import { sql } from 'slonik';
import { z } from 'zod';

const idleLane = z.object({ walletId: z.string(), sessionId: z.string(), fence: z.bigint() });

/** A free lane with a queued spend that has waited longer than a nudge takes. */
export type IdleLane = z.output<typeof idleLane>;

/**
 * Lanes whose wake-up was lost: of each wallet the one that waits longest. The longest wait comes
 * first.
 */
export async function listIdleLanes(
  db: Database,
  { waitedMs, limit }: { readonly waitedMs: number; readonly limit: number },
): Promise<readonly IdleLane[]> {
  return db.any(sql.type(idleLane)`
    with waiting as (
      select session_id, min(created_at) as oldest from spend
      where settled_at is null and status = 'queued'
      group by session_id
      having min(created_at) < now() - ${waitedMs} * interval '1 millisecond'
    ), idle as (
      select distinct on (lane.wallet_id) lane.wallet_id, lane.session_id, lane.fence, oldest
      from waiting join lane on lane.session_id = waiting.session_id
      where lane.lease_until < now()
      order by lane.wallet_id, oldest
    )
    select wallet_id as "walletId", session_id as "sessionId", fence from idle
    order by oldest
    limit ${limit}
  `);
}
