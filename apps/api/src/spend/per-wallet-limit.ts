import pLimit, { type LimitFunction } from 'p-limit';

/** Runs `work` when the wallet has a turn free; the turns of a wallet are taken in order. */
export type WalletTurns = <T>(walletId: string, work: () => Promise<T>) => Promise<T>;

/** Acceptances of one wallet that may be at the database at once, of this process. */
const TURNS_PER_WALLET = 4;

/**
 * At most `perWallet` pieces of work at once for each wallet. Acceptances of one wallet follow each
 * other at its row anyway: those that wait for it here hold no connection, so that a burst on one
 * wallet leaves the pool to the others.
 */
export function createWalletTurns(perWallet = TURNS_PER_WALLET): WalletTurns {
  const limits = new Map<string, LimitFunction>();
  return async (walletId, work) => {
    const limit = limits.get(walletId) ?? pLimit(perWallet);
    limits.set(walletId, limit);
    try {
      return await limit(work);
    } finally {
      if (limit.activeCount + limit.pendingCount === 0) limits.delete(walletId);
    }
  };
}
