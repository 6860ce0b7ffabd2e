import type { Database } from '@agent-wallet/db';
import { sql } from 'slonik';

/**
 * Marks a pending wallet active: a read at `slot` has shown its vault. A read from before the vault
 * was closed changes nothing.
 */
export async function markWalletActive(
  db: Database,
  { walletId, slot }: { readonly walletId: string; readonly slot: bigint },
): Promise<void> {
  await db.query(sql.unsafe`
    update wallet set status = 'active', active_slot = ${slot}
    where wallet_id = ${walletId}::uuid and status = 'pending'
      and coalesce(closed_slot <= ${slot}, true)
  `);
}
