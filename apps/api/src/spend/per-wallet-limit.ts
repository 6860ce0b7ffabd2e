import pLimit, { type LimitFunction } from 'p-limit';

/** Runs `work` within the wallet's limit; the work of one wallet starts in order. */
export type PerWalletLimit = <T>(walletId: string, work: () => Promise<T>) => Promise<T>;

/** Concurrent acceptances of one wallet in this process. */
const CONCURRENT_PER_WALLET = 4;

/**
 * Limits the concurrent work of each wallet. Acceptances of one wallet wait for each other's lock
 * on its row anyway; here they wait without a connection, so that a burst on one wallet leaves the
 * pool to the others.
 */
export function createPerWalletLimit(concurrentPerWallet = CONCURRENT_PER_WALLET): PerWalletLimit {
  const limits = new Map<string, LimitFunction>();
  return async (walletId, work) => {
    const limit = limits.get(walletId) ?? pLimit(concurrentPerWallet);
    limits.set(walletId, limit);
    try {
      return await limit(work);
    } finally {
      if (limit.activeCount + limit.pendingCount === 0) limits.delete(walletId);
    }
  };
}
