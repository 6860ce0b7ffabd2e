import {
  type PolicyAnswer,
  walletPolicyAnswer,
  type WalletPolicyAnswer,
} from '@agent-wallet/contract';
import type { Database } from '@agent-wallet/db';
import { lockWallet } from '@agent-wallet/spend';
import { type CommonQueryMethods, sql } from 'slonik';
import { z } from 'zod';

const NO_POLICY: WalletPolicyAnswer = { version: 0, url_allowlist: [], time_window: null };

/** The newest version of the wallet's off-chain rules. */
export async function readPolicy(
  db: CommonQueryMethods,
  walletId: string,
): Promise<WalletPolicyAnswer> {
  const row = await db.maybeOne(sql.type(walletPolicyAnswer)`
    select version, url_allowlist, time_window from wallet_policy
    where wallet_id = ${walletId}::uuid order by version desc limit 1
  `);
  return row ?? NO_POLICY;
}

const insertedRow = z.object({ version: z.number() });

/**
 * Makes `policy` the wallet's newest version; older ones stay. Rules that already hold make no
 * new version. The version that holds now.
 */
export async function insertPolicy(
  db: Database,
  walletId: string,
  policy: PolicyAnswer,
): Promise<number> {
  const allowlist = JSON.stringify(policy.url_allowlist);
  const window = policy.time_window === null ? null : JSON.stringify(policy.time_window);
  return db.transaction(async (tx) => {
    // Two changes at once: the second waits here, and counts on from the first one's version.
    await lockWallet(tx, walletId);
    const inserted = await tx.maybeOne(sql.type(insertedRow)`
      with newest as (
        select version, url_allowlist, time_window from wallet_policy
        where wallet_id = ${walletId}::uuid order by version desc limit 1)
      insert into wallet_policy (wallet_id, version, url_allowlist, time_window)
      select ${walletId}::uuid, coalesce((select version from newest), 0) + 1,
        ${allowlist}::jsonb, ${window}::jsonb
      where not exists (
        select 1 from newest
        where url_allowlist = ${allowlist}::jsonb
          and time_window is not distinct from ${window}::jsonb)
      returning version
    `);
    return inserted?.version ?? (await readPolicy(tx, walletId)).version;
  });
}
