/**
 * The log's action for each program event of an owner. Sessions move yield as well; those are
 * spends with decision rows of their own.
 */
export const OWNER_ACTIONS: Readonly<Record<string, string>> = {
  VaultInitialized: 'init_vault',
  YieldInitialized: 'init_yield',
  SessionAdded: 'add_session',
  SessionAllowlistUpdated: 'update_session_allowlist',
  SessionLimitsUpdated: 'update_session_limits',
  SessionRevoked: 'revoke_session',
  MaxDeployedFractionSet: 'set_max_deployed_fraction',
  PausedSet: 'set_paused',
  OwnerWithdrew: 'owner_withdraw',
  TokenAccountSwept: 'sweep_token_account',
  LamportsSwept: 'sweep_lamports',
  VaultMigrated: 'migrate_vault',
  VaultClosed: 'close_vault',
  YieldDeposited: 'yield_deposit',
  YieldWithdrawn: 'yield_withdraw',
};
