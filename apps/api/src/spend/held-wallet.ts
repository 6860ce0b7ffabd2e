import { isLockFault } from '@agent-wallet/db';
import { AppError } from '@agent-wallet/errors';

/** A wallet has no more open spends than this by default. */
const WAITING_PER_WALLET = 2_048;

/**
 * For batches of what needs one wallet's row. While another SQL transaction holds it, whoever waits
 * gets the fault of the first, and nobody is added to those who wait without a bound.
 */
export const ofOneWallet = {
  endsWaiting: isLockFault,
  mostWaiting: {
    count: WAITING_PER_WALLET,
    fault: () => new AppError('DATABASE_UNAVAILABLE', { reason: 'too many wait for the wallet' }),
  },
} as const;
