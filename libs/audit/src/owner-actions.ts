/**
 * What an owner did by the program's own events, in the words of the log. Yield is moved by
 * sessions as well: theirs are spends and have their decision rows.
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
  YieldDeposited: 'yield_deposit',
  YieldWithdrawn: 'yield_withdraw',
};
