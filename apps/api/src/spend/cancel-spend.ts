import { createBatches } from '@agent-wallet/batches';
import type { Database } from '@agent-wallet/db';
import { cancelQueued, type Spend } from '@agent-wallet/spend';
import { ofOneWallet } from './held-wallet.ts';

/** Cancels a spend that no lane has claimed; null when one has. */
export type CancelSpend = (spend: Spend) => Promise<Spend | null>;

/**
 * Cancels one spend of a wallet at a time, because each needs the wallet's row: when many waits end
 * together, their cancellations must not each use a connection.
 */
export function createCancelSpend(db: Database): CancelSpend {
  const cancel = createBatches<Spend, Spend | null>({
    ...ofOneWallet,
    run: (spends) => Promise.all(spends.map((spend) => cancelQueued(db, spend))),
    concurrency: 1,
    maxWeight: 1,
  });
  return (spend) => cancel(spend.walletId, spend);
}
