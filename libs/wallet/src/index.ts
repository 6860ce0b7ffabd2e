/**
 * The wallet, its sessions and its policy: their rows, and one file per SQL verb.
 *
 * Columns of these rows with another owner stay there, each in one statement with what else it
 * changes: `wallet.audit_seq` and `audit_head` in libs/audit; `wallet.last_settled_slot`,
 * `session.next_seq` and the session's fee budget in libs/spend; sealed keys in libs/keystore.
 */
export { type Agent, findAgents, type FoundAgent } from './session/find-agents.ts';
export { findSession, findSessionById } from './session/find-session.ts';
export { findSessionKeys } from './session/find-session-keys.ts';
export { findSessionOfRequest, type SessionOfRequest } from './session/find-session-of-request.ts';
export { insertSession } from './session/insert-session.ts';
export { listSessions, listUnrevoked } from './session/list-sessions.ts';
export { listSpendableSessions } from './session/list-spendable-sessions.ts';
export {
  recordSessionAdded,
  recordSessionLimits,
  recordSessionRecipients,
  recordSessionRevoked,
} from './session/record-session-event.ts';
export { replaceKey } from './session/replace-key.ts';
export type { SessionRow } from './session/session.ts';
export { insertPolicy } from './policy/insert-policy.ts';
export { newestPolicy } from './policy/newest-policy.ts';
export { readPolicy, storedPolicy } from './policy/read-policy.ts';
export { readPolicyVersion } from './policy/read-policy-version.ts';
export { readTimeWindow } from './policy/read-time-window.ts';
export { parseTimeWindow, toTimeWindow } from './policy/time-window.ts';
export { exportWallet } from './export/export-wallet.ts';
export { recordDeployed, readDeployed } from './wallet/deployed.ts';
export { findWallet } from './wallet/find-wallet.ts';
export { listWallets } from './wallet/list-wallets.ts';
export { holdWallet } from './wallet/hold-wallet.ts';
export { lockWallet, lockWalletsOfVaults } from './wallet/lock-wallet.ts';
export { markWalletActive } from './wallet/mark-wallet-active.ts';
export {
  recordMaxDeployedFraction,
  recordVaultClosed,
  recordVaultInitialized,
} from './wallet/record-vault-event.ts';
export { sumYield, type YieldMoved } from './wallet/sum-yield.ts';
export { upsertPendingWallet } from './wallet/upsert-pending-wallet.ts';
export type { Wallet } from './wallet/wallet.ts';
