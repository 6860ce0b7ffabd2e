import { createBatches } from '@agent-wallet/batches';
import type { Database } from '@agent-wallet/db';
import { cancelAllQueued, type Spend } from '@agent-wallet/spend';
import { maySplit, ofOneWallet } from '../held-wallet.ts';

/** Cancels a spend that no lane has claimed; null when one has. */
export type CancelSpend = (spend: Spend) => Promise<Spend | null>;

const SPENDS_PER_COMMIT = 64;

/**
 * Cancels the spends of one wallet that wait at the same time in one SQL transaction. Each needs the
 * wallet's row: one after the other, they would wait for it in turn, and the last caller would get
 * its response long after the end of its wait.
 */
export function createCancelSpend(db: Database): CancelSpend {
  const cancel = createBatches<string, Spend | null>({
    ...ofOneWallet,
    run: (spendIds, walletId) => cancelAllQueued(db, walletId, spendIds),
    concurrency: 1,
    maxWeight: SPENDS_PER_COMMIT,
    maySplit,
  });
  return ({ walletId, spendId }) => cancel(walletId, spendId);
}
