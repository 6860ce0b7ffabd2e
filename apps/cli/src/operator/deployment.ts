import type { Database } from '@agent-wallet/db';
import { sql } from 'slonik';
import { z } from 'zod';
import { CliError } from '../cli-error.ts';
import type { Config } from './config.ts';

const deploymentRow = z.object({
  genesisHash: z.string(),
  programId: z.string(),
  usdcMint: z.string(),
});

/**
 * Returns the genesis hash that the database stores; null before the first start. Throws a CliError
 * when this database belongs to another chain, program or mint.
 */
export async function refuseOtherDeployment(
  db: Database,
  { programId, usdcMint }: Config,
  genesisHash: string | null,
): Promise<string | null> {
  const stored = await db.maybeOne(sql.type(deploymentRow)`
    select genesis_hash as "genesisHash", program_id as "programId", usdc_mint as "usdcMint"
    from deployment
  `);
  if (stored === null) return null;
  const given = { genesisHash: genesisHash ?? stored.genesisHash, programId, usdcMint };
  for (const [field, name] of [
    ['genesisHash', 'chain'],
    ['programId', 'program'],
    ['usdcMint', 'mint'],
  ] as const) {
    if (stored[field] !== given[field]) {
      throw new CliError(`This database belongs to ${name} ${stored[field]}, not ${given[field]}.`);
    }
  }
  return stored.genesisHash;
}
