import { timeWindow } from '@agent-wallet/contract';
import type { Database } from '@agent-wallet/db';
import type { TimeWindow } from '@agent-wallet/policy';
import { sql } from 'slonik';
import { z } from 'zod';

const windowRow = z.object({ timeWindow: timeWindow.nullable() });
const idRow = z.object({ spendId: z.string() });

/** The time window of the wallet's newest policy; null means always open. */
export async function readTimeWindow(db: Database, walletId: string): Promise<TimeWindow | null> {
  const row = await db.maybeOne(sql.type(windowRow)`
    select time_window as "timeWindow" from wallet_policy
    where wallet_id = ${walletId}::uuid order by version desc limit 1
  `);
  const window = row?.timeWindow ?? null;
  if (window === null) return null;
  const { start_min: startMin, end_min: endMin, days, timezone } = window;
  return { startMin, endMin, days, timezone };
}

/** The oldest spends of the wallet whose outcome is open. */
export async function listPendingIds(
  db: Database,
  walletId: string,
  limit: number,
): Promise<readonly string[]> {
  const rows = await db.any(sql.type(idRow)`
    select spend_id as "spendId" from spend
    where wallet_id = ${walletId}::uuid and status in ('queued', 'in_flight')
    order by accepted_no limit ${limit}
  `);
  return rows.map((row) => row.spendId);
}
