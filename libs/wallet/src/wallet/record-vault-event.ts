/** Events of the program about a vault. The chain's values win over the requested ones. */
import type { SqlTransaction } from '@agent-wallet/db';
import { sql } from 'slonik';

/** The vault was created on chain at `slot`. */
export async function recordVaultInitialized(
  tx: SqlTransaction,
  vault: {
    readonly vaultPda: string;
    readonly maxDeployedFractionBp: number;
    readonly slot: bigint;
  },
): Promise<void> {
  await tx.query(sql.unsafe`
    update wallet
    set status = 'active', active_slot = ${vault.slot}, closed_slot = null,
      max_deployed_fraction_bp = ${vault.maxDeployedFractionBp}
    where vault_pda = ${vault.vaultPda}
  `);
}

/** The owner closed the vault at `slot`. It can be created again, for the same wallet. */
export async function recordVaultClosed(
  tx: SqlTransaction,
  vault: { readonly vaultPda: string; readonly slot: bigint },
): Promise<void> {
  await tx.query(sql.unsafe`
    update wallet set status = 'pending', active_slot = null, closed_slot = ${vault.slot}
    where vault_pda = ${vault.vaultPda}
  `);
}

/** The owner changed the share of the vault that may be deployed to yield. */
export async function recordMaxDeployedFraction(
  tx: SqlTransaction,
  vault: { readonly vaultPda: string; readonly maxDeployedFractionBp: number },
): Promise<void> {
  await tx.query(sql.unsafe`
    update wallet set max_deployed_fraction_bp = ${vault.maxDeployedFractionBp}
    where vault_pda = ${vault.vaultPda}
  `);
}
