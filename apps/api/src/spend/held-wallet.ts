import { isDatabaseFault, isLockFault, isRolledBack, isSilenceFault } from '@agent-wallet/db';
import { AppError } from '@agent-wallet/errors';

/** As many as the open spends that a wallet may have by default. */
const WAITING_PER_WALLET = 2_048;

/**
 * Options of batches that need one wallet's row. While another SQL transaction holds the row, or the
 * database is silent, all waiting items fail together with the first one, and their number is
 * bounded.
 */
export const ofOneWallet = {
  endsWaiting: (fault: unknown) => isLockFault(fault) || isSilenceFault(fault),
  mostWaiting: {
    count: WAITING_PER_WALLET,
    fault: () =>
      new AppError('DATABASE_UNAVAILABLE', { reason: 'too many requests wait for the wallet' }),
  },
} as const;

/**
 * Whether a batch may be repeated item by item, so that one that the database refuses fails alone.
 * After any other fault of the database the batch may have been committed.
 */
export const maySplit = (fault: unknown): boolean => isRolledBack(fault) || !isDatabaseFault(fault);
