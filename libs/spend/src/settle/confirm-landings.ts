import type { Database } from '@agent-wallet/db';
import { sql } from 'slonik';
import { z } from 'zod';

/** A landing that succeeded. */
type LandedOk = {
  readonly walletId: string;
  readonly spendId: string;
  readonly attemptNo: number;
  readonly signature: string;
  readonly slot: bigint;
};

const confirmedRow = z.object({
  spendId: z.string(),
  sessionId: z.string(),
  attemptNo: z.number(),
  hasQueued: z.boolean(),
});

/** A spend that became confirmed. `hasQueued`: its session has a spend that waits for its lane. */
export type ConfirmedSpend = z.output<typeof confirmedRow>;

/**
 * Confirms spends in flight of one wallet whose newest attempt landed under its own
 * signature, with their audit rows, in one SQL transaction. Returns them; the other landings need a
 * closer look, one by one. The work is done by the function `confirm_landings` of the database, so
 * that the wallet is locked for one round trip. A longer wait for a lock than `lockWaitMs` throws
 * Postgres' 55P03.
 */
export async function confirmLandings(
  db: Database,
  landings: readonly LandedOk[],
  lockWaitMs: number,
): Promise<readonly ConfirmedSpend[]> {
  const [first] = landings;
  if (first === undefined) return [];
  const column = (of: (landing: LandedOk) => string | number | bigint, type: string) =>
    sql.array(landings.map(of), type);
  return db.any(sql.type(confirmedRow)`
    select spend_id as "spendId", session_id as "sessionId", attempt as "attemptNo",
      has_queued as "hasQueued"
    from confirm_landings(${first.walletId}::uuid, ${lockWaitMs},
      ${column((landing) => landing.spendId, 'uuid')},
      ${column((landing) => landing.attemptNo, 'int4')},
      ${column((landing) => landing.signature, 'text')},
      ${column((landing) => landing.slot, 'int8')})
  `);
}
