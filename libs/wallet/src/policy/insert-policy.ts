import type { PolicyAnswer } from '@agent-wallet/contract';
import type { Database } from '@agent-wallet/db';
import { sql } from 'slonik';
import { z } from 'zod';
import { holdWallet } from '../wallet/hold-wallet.ts';
import { newestPolicyOf } from './newest-policy.ts';
import { readPolicyVersion } from './read-policy-version.ts';

const insertedRow = z.object({ version: z.number() });

/**
 * Makes `policy` the wallet's newest version; older ones stay. A policy equal to the newest one
 * makes no new version. Returns the version that is in force.
 */
export async function insertPolicy(
  db: Database,
  walletId: string,
  policy: PolicyAnswer,
): Promise<number> {
  const allowlist = JSON.stringify(policy.url_allowlist);
  const window = policy.time_window === null ? null : JSON.stringify(policy.time_window);
  return holdWallet(db, walletId, async (tx) => {
    // Of two changes at once, the second waits and counts on from the first one's.
    const inserted = await tx.maybeOne(sql.type(insertedRow)`
      with newest as ${newestPolicyOf(walletId)}
      insert into wallet_policy (wallet_id, version, url_allowlist, time_window)
      select ${walletId}::uuid, coalesce((select version from newest), 0) + 1,
        ${allowlist}::jsonb, ${window}::jsonb
      where not exists (
        select 1 from newest
        where url_allowlist = ${allowlist}::jsonb
          and time_window is not distinct from ${window}::jsonb)
      returning version
    `);
    return inserted?.version ?? (await readPolicyVersion(tx, walletId));
  });
}
