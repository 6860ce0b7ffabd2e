import { createBatches } from '@agent-wallet/batches';
import { type Database, isDatabaseFault, isRolledBack } from '@agent-wallet/db';
import {
  type Claimed,
  claimSpends,
  type LaneClaims,
  type LaneLoad,
  readLaneLoads,
} from '@agent-wallet/spend';
import type { ReadLoad } from './prepare-batch.ts';
import type { StoreClaims } from './submit-spends.ts';

const SPENDS_PER_COMMIT = 128;
const SESSIONS_PER_QUERY = 128;
/** Of one wallet; a second one, so that a slow statement does not hold up the lanes after it. */
const STATEMENTS_AT_ONCE = 2;

/**
 * Stores claims of one wallet's lanes that come together in one statement. When Postgres refuses
 * it, each lane's claims are stored alone, so that a row that cannot be stored harms no other lane.
 */
export function createStoreClaims(db: Database): StoreClaims {
  return createBatches<LaneClaims, Claimed>({
    run: (lanes, walletId) => claimSpends(db, walletId, lanes),
    concurrency: STATEMENTS_AT_ONCE,
    maxWeight: SPENDS_PER_COMMIT,
    weightOf: ({ claims }) => claims.length,
    // After any other fault of the database the statement may have been committed.
    maySplit: (fault) => isRolledBack(fault) || !isDatabaseFault(fault),
  });
}

/** Reads the loads of one wallet's lanes that come together in one query. */
export function createReadLoad(db: Database): ReadLoad {
  const batched = createBatches<string, LaneLoad>({
    run: (sessionIds, key) => {
      const [walletId = '', slot = ''] = key.split(' ');
      return readLaneLoads(db, { walletId, sessionIds, sinceSlot: BigInt(slot) });
    },
    concurrency: STATEMENTS_AT_ONCE,
    maxWeight: SESSIONS_PER_QUERY,
  });
  return ({ walletId, sessionId }, sinceSlot) => batched(`${walletId} ${sinceSlot}`, sessionId);
}
