import type { Database } from '@agent-wallet/db';
import { sql } from 'slonik';
import { z } from 'zod';

const pdaRow = z.object({ sessionPda: z.string() });

/** Addresses of the sessions that are not revoked, in order, after `afterPda`. */
export async function listSpendableSessions(
  db: Database,
  { afterPda, limit }: { readonly afterPda: string; readonly limit: number },
): Promise<readonly string[]> {
  const rows = await db.any(sql.type(pdaRow)`
    select session_pda as "sessionPda" from session
    where status <> 'revoked' and session_pda > ${afterPda}
    order by session_pda
    limit ${limit}
  `);
  return rows.map(({ sessionPda }) => sessionPda);
}
