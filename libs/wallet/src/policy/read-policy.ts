import { walletPolicyAnswer, type WalletPolicyAnswer } from '@agent-wallet/contract';
import { type CommonQueryMethods, sql } from 'slonik';
import { newestPolicyOf } from './newest-policy.ts';

const NO_POLICY: WalletPolicyAnswer = { version: 0, url_allowlist: [], time_window: null };

/** A wallet's newest policy as JSON; version 0 where there is none. */
export const storedPolicy = walletPolicyAnswer
  .nullable()
  .transform((policy) => policy ?? NO_POLICY);

/** The wallet's newest policy; version 0 without one. */
export async function readPolicy(
  db: CommonQueryMethods,
  walletId: string,
): Promise<WalletPolicyAnswer> {
  const row = await db.maybeOne(sql.type(walletPolicyAnswer)`
    select version, url_allowlist, time_window from ${newestPolicyOf(walletId)} newest
  `);
  return row ?? NO_POLICY;
}
