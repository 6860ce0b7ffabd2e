import type { Database } from '@agent-wallet/db';
import { sql } from 'slonik';
import { z } from 'zod';

const freeRow = z.object({ free: z.number() });

/** The number of session keys that no session has taken. */
export async function countFreeSessionKeys(db: Database): Promise<number> {
  return db.oneFirst(sql.type(freeRow)`
    select count(*)::int as free from session_key where session_id is null
  `);
}
