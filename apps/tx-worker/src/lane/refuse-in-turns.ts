import { createBatches } from '@agent-wallet/batches';
import { type Database, isLockFault } from '@agent-wallet/db';
import { refuseUnbroadcast, type Spend } from '@agent-wallet/spend';

type Refusal = Parameters<typeof refuseUnbroadcast>[1];

export type RefuseUnbroadcast = (refusal: Refusal) => Promise<Spend | null>;

/**
 * Refuses one spend of a wallet at a time, because each needs the wallet's row: many refusals of one
 * wallet must not use every connection.
 */
export function createRefuseUnbroadcast(db: Database): RefuseUnbroadcast {
  const refuse = createBatches<Refusal, Spend | null>({
    run: (refusals) => Promise.all(refusals.map((refusal) => refuseUnbroadcast(db, refusal))),
    concurrency: 1,
    maxWeight: 1,
    endsWaiting: isLockFault,
  });
  return (refusal) => refuse(refusal.spend.walletId, refusal);
}
