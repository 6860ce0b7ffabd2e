import { type FragmentSqlToken, sql } from 'slonik';

/** The newest policy of the wallet with that id, as a subquery of at most one row. */
export const newestPolicy = (walletId: FragmentSqlToken): FragmentSqlToken => sql.fragment`
  (select version, url_allowlist, time_window from wallet_policy
   where wallet_policy.wallet_id = ${walletId} order by version desc limit 1)
`;

/** The same for an id from outside SQL. */
export const newestPolicyOf = (walletId: string): FragmentSqlToken =>
  newestPolicy(sql.fragment`${walletId}::uuid`);
