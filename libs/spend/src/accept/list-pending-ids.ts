import type { Database } from '@agent-wallet/db';
import { sql } from 'slonik';
import { z } from 'zod';

const idRow = z.object({ spendId: z.string() });

/** The oldest spends of the wallet whose outcome is open. */
export async function listPendingIds(
  db: Database,
  walletId: string,
  limit: number,
): Promise<readonly string[]> {
  const rows = await db.any(sql.type(idRow)`
    select spend_id as "spendId" from spend
    where wallet_id = ${walletId}::uuid and settled_at is null
    order by accepted_no limit ${limit}
  `);
  return rows.map((row) => row.spendId);
}
