import { AppError } from '@agent-wallet/errors';
import { sql } from 'slonik';
import { z } from 'zod';
import type { Database } from './database.ts';
import { requireCurrentSchema } from './schema.ts';

/** The chain, program and mint that a database belongs to. */
export type Deployment = {
  readonly genesisHash: string;
  readonly programId: string;
  readonly usdcMint: string;
};

const MAINNET_GENESIS_HASH = '5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d';

const storedDeployment = z.object({
  genesisHash: z.string(),
  programId: z.string(),
  usdcMint: z.string(),
});

/**
 * Stores the deployment at the first start and compares it at every later start.
 *
 * Throws a SchemaError when the schema of the database is not that of this version, CHAIN_MISMATCH when this database belongs to another chain, program or mint, and
 * SERVER_MISCONFIGURED on mainnet without `allowMainnet`.
 */
export async function claimDeployment(
  db: Database,
  deployment: Deployment,
  { allowMainnet }: { allowMainnet: boolean },
): Promise<void> {
  await requireCurrentSchema(db);
  if (deployment.genesisHash === MAINNET_GENESIS_HASH && !allowMainnet) {
    throw new AppError('SERVER_MISCONFIGURED', {
      reason: 'the RPC endpoint is on mainnet; set ALLOW_MAINNET=true to use it',
    });
  }
  await db.query(sql.unsafe`
    insert into deployment (genesis_hash, program_id, usdc_mint)
    values (${deployment.genesisHash}, ${deployment.programId}, ${deployment.usdcMint})
    on conflict do nothing
  `);
  const stored = await db.one(sql.type(storedDeployment)`
    select genesis_hash as "genesisHash", program_id as "programId", usdc_mint as "usdcMint"
    from deployment
  `);
  for (const field of ['genesisHash', 'programId', 'usdcMint'] as const) {
    if (stored[field] !== deployment[field]) {
      throw new AppError('CHAIN_MISMATCH', {
        field,
        database: stored[field],
        process: deployment[field],
      });
    }
  }
}
