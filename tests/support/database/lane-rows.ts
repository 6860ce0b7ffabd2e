/** What tests read of a lane and of what it has claimed, and how they end its lease. */
import { type Database } from '@agent-wallet/db';
import {
  type ClaimOutcome,
  claimSpends,
  readLane,
  type SignedAttempt,
  type Spend,
} from '@agent-wallet/spend';
import { sql } from 'slonik';
import { z } from 'zod';

/** Takes a lane, which must be free, whether a spend is queued or not. */
export async function holdLane(db: Database, sessionId: string, leaseMs = 10_000): Promise<bigint> {
  const fence = await db.maybeOneFirst(sql.type(z.object({ fence: z.bigint() }))`
    update lane
    set fence = fence + 1, holder = 'test',
      lease_until = now() + ${leaseMs} * interval '1 millisecond'
    where session_id = ${sessionId}::uuid and lease_until < now()
    returning fence
  `);
  if (fence === null) throw new Error('the lane is not free');
  return fence;
}

/** Claims one spend and keeps the lane. */
export async function claimSpend(
  db: Database,
  claim: { readonly spend: Spend; readonly fence: bigint; readonly signed: SignedAttempt },
): Promise<ClaimOutcome> {
  const { spend, fence, signed } = claim;
  const { sessionId, walletId } = spend;
  const lane = { sessionId, fence, claims: [{ spend, signed }], thenRelease: false };
  const [claimed] = await claimSpends(db, walletId, [lane]);
  if (claimed === undefined) throw new Error('no outcome');
  return claimed.outcome;
}

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
