import type { Database } from '@agent-wallet/db';
import { sql } from 'slonik';
import { type Spend, spendColumns, spendRow } from './spend.ts';

/** The spends with these ids, in no order; unknown ids are left out. */
export async function findSpends(
  db: Database,
  spendIds: readonly string[],
): Promise<readonly Spend[]> {
  if (spendIds.length === 0) return [];
  return db.any(sql.type(spendRow)`
    select ${spendColumns} from spend where spend_id = any(${sql.array([...spendIds], 'uuid')})
  `);
}
