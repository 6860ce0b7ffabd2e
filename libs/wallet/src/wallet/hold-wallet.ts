import { type Database, retryWhileHeld, type SqlTransaction } from '@agent-wallet/db';
import { sql } from 'slonik';

/**
 * Runs an SQL transaction that holds the wallet row: its first lock, as of every one that changes a
 * wallet's money. The wait for a row that another SQL transaction holds uses no connection for
 * longer than 100 ms; after 3 s it throws Postgres' 55P03.
 */
export async function holdWallet<Result>(
  db: Database,
  walletId: string,
  change: (tx: SqlTransaction) => Promise<Result>,
): Promise<Result> {
  return retryWhileHeld(() =>
    db.transaction(async (tx) => {
      await tx.query(sql.unsafe`select hold_wallet(${walletId}::uuid)`);
      return change(tx);
    }),
  );
}
