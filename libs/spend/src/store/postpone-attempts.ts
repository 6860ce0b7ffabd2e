import type { Database } from '@agent-wallet/db';
import { sql } from 'slonik';

/** Ends the lease on attempts whose fate is still open and says when to look again. */
export async function postponeAttempts(
  db: Database,
  signatures: readonly string[],
  lookInMs: number,
): Promise<void> {
  if (signatures.length === 0) return;
  await db.query(sql.unsafe`
    update attempt
    set watch_until = '-infinity', look_at = now() + ${lookInMs} * interval '1 millisecond'
    where signature = any(${sql.array([...signatures], 'text')}) and state = 'watching'
  `);
}
