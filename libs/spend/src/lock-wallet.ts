import type { SqlTransaction } from '@agent-wallet/db';
import { sql } from 'slonik';

/** Locks the wallet row: the first lock of every SQL transaction that changes a wallet's money. */
export async function lockWallet(tx: SqlTransaction, walletId: string): Promise<void> {
  await tx.query(sql.unsafe`
    select 1 from wallet where wallet_id = ${walletId}::uuid for update
  `);
}
