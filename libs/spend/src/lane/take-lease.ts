import type { Database } from '@agent-wallet/db';
import { sql } from 'slonik';
import { z } from 'zod';

/**
 * Takes the lane of a session for `leaseMs` on the database's clock. The fence goes up with each
 * holder, and each claim checks it, so a holder that lost its lease claims nothing.
 * Null while another worker holds the lane, and while intake is closed.
 */
export async function takeLease(
  db: Database,
  lease: { readonly sessionId: string; readonly holder: string; readonly leaseMs: number },
): Promise<bigint | null> {
  return db.maybeOneFirst(sql.type(z.object({ fence: z.bigint() }))`
    update lane
    set fence = fence + 1, holder = ${lease.holder},
      lease_until = now() + ${lease.leaseMs} * interval '1 millisecond'
    where session_id = ${lease.sessionId}::uuid and lease_until < now() and is_open()
    returning fence
  `);
}
