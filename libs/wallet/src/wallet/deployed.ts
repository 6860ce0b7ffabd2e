import type { Database } from '@agent-wallet/db';
import { sql } from 'slonik';
import { z } from 'zod';

const deployedRow = z.object({ deployed: z.bigint() });

/** The principal in yield that the vault account last showed, base units. */
export async function readDeployed(db: Database, walletId: string): Promise<bigint> {
  const row = await db.one(sql.type(deployedRow)`
    select deployed_seen as deployed from wallet where wallet_id = ${walletId}::uuid
  `);
  return row.deployed;
}

/** Records the principal in yield that the vault account shows, base units. */
export async function recordDeployed(
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
