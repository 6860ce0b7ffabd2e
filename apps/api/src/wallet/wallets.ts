import type { Database } from '@agent-wallet/db';
import { sql } from 'slonik';
import { z } from 'zod';
import type { WalletAddresses } from '../chain/chain-access.ts';

const walletRow = z.object({
  walletId: z.string(),
  owner: z.string(),
  vaultPda: z.string(),
  vaultUsdcAta: z.string(),
  maxDeployedFractionBp: z.number(),
  status: z.enum(['pending', 'active']),
  createdAt: z.date(),
});

/** An owner's wallet as recorded here; what it holds is for the chain to say. */
export type Wallet = z.output<typeof walletRow>;

const walletColumns = sql.fragment`
  wallet_id as "walletId", owner, vault_pda as "vaultPda", vault_usdc_ata as "vaultUsdcAta",
  max_deployed_fraction_bp as "maxDeployedFractionBp", status, created_at as "createdAt"
`;

/** The owner's wallet; null before its creation. */
export async function findWallet(db: Database, owner: string): Promise<Wallet | null> {
  return db.maybeOne(sql.type(walletRow)`
    select ${walletColumns} from wallet where owner = ${owner}
  `);
}

/** Records a wallet as pending, or gives a pending one its new fraction. An active one stays. */
export async function upsertPendingWallet(
  db: Database,
  wallet: WalletAddresses & { readonly owner: string; readonly maxDeployedFractionBp: number },
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

/** Notes that the chain shows the vault, read at `slot`. */
export async function markWalletActive(
  db: Database,
  { walletId, slot }: { readonly walletId: string; readonly slot: bigint },
): Promise<void> {
  await db.query(sql.unsafe`
    update wallet set status = 'active', active_slot = ${slot}
    where wallet_id = ${walletId}::uuid and status = 'pending'
  `);
}

/** Keeps what the vault account said about its yield principal (base units). */
export async function noteDeployed(
  db: Database,
  walletId: string,
  deployed: bigint,
): Promise<void> {
  // Almost always equal: then no row is written and none is locked.
  await db.query(sql.unsafe`
    update wallet set deployed_seen = ${deployed.toString()}::numeric
    where wallet_id = ${walletId}::uuid and deployed_seen <> ${deployed.toString()}::numeric
  `);
}

const deployedRow = z.object({ deployed: z.bigint() });

/** What the vault account last said about its yield principal (base units). */
export async function readDeployedSeen(db: Database, walletId: string): Promise<bigint> {
  const row = await db.one(sql.type(deployedRow)`
    select deployed_seen as deployed from wallet where wallet_id = ${walletId}::uuid
  `);
  return row.deployed;
}
