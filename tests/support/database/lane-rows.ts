/** What tests read of a lane and of what it has claimed, and how they end its lease. */
import type { Database } from '@agent-wallet/db';
import { readLane } from '@agent-wallet/spend';
import { sql } from 'slonik';
import { z } from 'zod';

type Session = { readonly sessionId: string };

export async function isLaneFree(db: Database, { sessionId }: Session): Promise<boolean> {
  return db.oneFirst(sql.type(z.object({ free: z.boolean() }))`
    select lease_until < now() as free from lane where session_id = ${sessionId}::uuid
  `);
}

/** Lets the lease of the lane run out. */
export async function endLease(db: Database, { sessionId }: Session): Promise<void> {
  await db.query(sql.unsafe`
    update lane set lease_until = now() - interval '1 millisecond'
    where session_id = ${sessionId}::uuid
  `);
}

export async function nextSeqOf(db: Database, { sessionId }: Session): Promise<bigint | undefined> {
  return (await readLane(db, sessionId, 0))?.lane.nextSeq;
}

export function countAttempts(db: Database, { sessionId }: Session): Promise<number> {
  return db.oneFirst(sql.type(z.object({ count: z.number() }))`
    select count(*)::int as count from attempt where session_id = ${sessionId}::uuid
  `);
}
