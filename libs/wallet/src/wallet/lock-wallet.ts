import type { SqlTransaction } from '@agent-wallet/db';
import { sql } from 'slonik';
import { z } from 'zod';

/**
 * Locks the wallet row: the first lock of every SQL transaction that changes a wallet's money. The
 * checks of foreign keys, which lock the row's key only, do not wait for it.
 */
export async function lockWallet(tx: SqlTransaction, walletId: string): Promise<void> {
  await tx.query(sql.unsafe`
    select 1 from wallet where wallet_id = ${walletId}::uuid for no key update
  `);
}

/** Locks the wallet of a vault; null for a vault that was created without this service. */
export async function lockWalletOfVault(
  tx: SqlTransaction,
  vaultPda: string,
): Promise<string | null> {
  return tx.maybeOneFirst(sql.type(z.object({ walletId: z.string() }))`
    select wallet_id as "walletId" from wallet where vault_pda = ${vaultPda} for no key update
  `);
}
