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

/**
 * Locks the wallets of vaults in ascending order and returns their ids by vault. A vault that was
 * created without this service has none.
 */
export async function lockWalletsOfVaults(
  tx: SqlTransaction,
  vaultPdas: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const wallets = await tx.any(sql.type(z.object({ walletId: z.string(), vaultPda: z.string() }))`
    select wallet_id as "walletId", vault_pda as "vaultPda" from wallet
    where vault_pda = any(${sql.array([...vaultPdas], 'text')})
    order by wallet_id
    for no key update
  `);
  return new Map(wallets.map(({ vaultPda, walletId }) => [vaultPda, walletId]));
}
