import { timeWindow } from '@agent-wallet/contract';
import type { Database } from '@agent-wallet/db';
import type { TimeWindow } from '@agent-wallet/policy';
import { sql } from 'slonik';
import { z } from 'zod';
import { newestPolicyOf } from './newest-policy.ts';
import { toTimeWindow } from './time-window.ts';

const windowRow = z.object({ timeWindow: timeWindow.nullable() });

/** The time window of the wallet's newest policy; null means always open. */
export async function readTimeWindow(db: Database, walletId: string): Promise<TimeWindow | null> {
  const row = await db.maybeOne(sql.type(windowRow)`
    select time_window as "timeWindow" from ${newestPolicyOf(walletId)} newest
  `);
  return toTimeWindow(row?.timeWindow ?? null);
}
