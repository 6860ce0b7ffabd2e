import type { Database } from '@agent-wallet/db';
import { type AcceptOutcome, acceptSpends, type NewSpend } from '@agent-wallet/spend';
import { createBatches } from '@agent-wallet/batches';
import { maySplit, ofOneWallet } from '../held-wallet.ts';

export type AcceptSpend = (wanted: NewSpend) => Promise<AcceptOutcome>;

/**
 * Connections that one wallet may use for acceptances in this process. The second one waits for the
 * wallet's lock while the first commits.
 */
const CONNECTIONS_PER_WALLET = 2;
const SPENDS_PER_COMMIT = 64;

/**
 * Accepts spends of one wallet that wait at the same time in one SQL transaction. They would wait
 * for each other's lock on the wallet anyway; here they wait without a connection, so that a burst
 * on one wallet leaves the pool to the others. While another SQL transaction holds the wallet, they
 * wait without a connection as well, and fail after 3 s.
 */
export function createAcceptSpend(db: Database): AcceptSpend {
  const batched = createBatches<NewSpend, AcceptOutcome>({
    ...ofOneWallet,
    run: (wanted, walletId) => acceptSpends(db, walletId, wanted),
    concurrency: CONNECTIONS_PER_WALLET,
    maxWeight: SPENDS_PER_COMMIT,
    maySplit,
  });
  return (wanted) => batched(wanted.walletId, wanted);
}
