import type { Database } from '@agent-wallet/db';
import { sql } from 'slonik';
import { type Wallet, walletColumns, walletRow } from './wallet.ts';

/** Records a wallet as pending, or gives a pending one its new fraction. An active one stays. */
export async function upsertPendingWallet(
  db: Database,
  wallet: Pick<Wallet, 'owner' | 'vaultPda' | 'vaultUsdcAta' | 'maxDeployedFractionBp'>,
): Promise<Wallet> {
  const inserted = await db.maybeOne(sql.type(walletRow)`
    insert into wallet (owner, vault_pda, vault_usdc_ata, max_deployed_fraction_bp)
    values (${wallet.owner}, ${wallet.vaultPda}, ${wallet.vaultUsdcAta},
      ${wallet.maxDeployedFractionBp})
    on conflict (owner) do update
      set max_deployed_fraction_bp = excluded.max_deployed_fraction_bp
      where wallet.status = 'pending'
    returning ${walletColumns}
  `);
  return (
    inserted ??
    db.one(sql.type(walletRow)`
      select ${walletColumns} from wallet where owner = ${wallet.owner}
    `)
  );
}
