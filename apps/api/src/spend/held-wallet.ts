import { isLockFault } from '@agent-wallet/db';
import { AppError } from '@agent-wallet/errors';

/** As many as the open spends that a wallet may have by default. */
const WAITING_PER_WALLET = 2_048;

/**
 * Options of batches that need one wallet's row. While another SQL transaction holds the row, all
 * waiting items fail together with the first one, and their number is bounded.
 */
export const ofOneWallet = {
  endsWaiting: isLockFault,
  mostWaiting: {
    count: WAITING_PER_WALLET,
    fault: () =>
      new AppError('DATABASE_UNAVAILABLE', { reason: 'too many requests wait for the wallet' }),
  },
} as const;
