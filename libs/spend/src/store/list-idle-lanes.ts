import type { Database } from '@agent-wallet/db';
import { sql } from 'slonik';
import { z } from 'zod';

const idleLane = z.object({ sessionId: z.string(), fence: z.bigint() });

/** A free lane with a queued spend that has waited longer than a nudge takes. */
export type IdleLane = z.output<typeof idleLane>;

/** Lanes whose wake-up was lost. The longest wait comes first. */
export async function listIdleLanes(
  db: Database,
  { waitedMs, limit }: { readonly waitedMs: number; readonly limit: number },
): Promise<readonly IdleLane[]> {
  return db.any(sql.type(idleLane)`
    select lane.session_id as "sessionId", lane.fence from lane
    join lateral (
      select min(created_at) as oldest from spend
      where spend.session_id = lane.session_id and status = 'queued'
    ) waiting on waiting.oldest < now() - ${waitedMs} * interval '1 millisecond'
    where lane.lease_until < now()
    order by waiting.oldest
    limit ${limit}
  `);
}
