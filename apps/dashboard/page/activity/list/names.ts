import type { AuditItem, ListedSpend } from '@agent-wallet/sdk/owner';

/** The kinds of spends as the page names them. */
export const KIND_NAMES: Readonly<Record<ListedSpend['kind'], string>> = {
  transfer: 'Transfer',
  sign_payment: 'Payment to a URL',
  pay_service: 'Catalog service',
  yield_deposit: 'Yield deposit',
  yield_withdraw: 'Yield withdrawal',
};

export const STATUS_NAMES: Readonly<Record<ListedSpend['status'], string>> = {
  pending: 'Pending',
  confirmed: 'Confirmed',
  rejected: 'Refused',
};

export const DECISION_NAMES: Readonly<Record<AuditItem['decision'], string>> = {
  allow: 'Allowed',
  deny: 'Refused',
};

/** What an owner did on chain, by the action in the log. */
const OWNER_ACTION_NAMES: Readonly<Record<string, string>> = {
  init_vault: 'Vault created',
  init_yield: 'Yield set up',
  add_session: 'Session created',
  update_session_allowlist: 'Recipients changed',
  update_session_limits: 'Limits changed',
  revoke_session: 'Session revoked',
  set_max_deployed_fraction: 'Maximum deployed share changed',
  set_paused: 'Paused or resumed',
  owner_withdraw: 'Withdrawal by you',
  sweep_token_account: 'Other tokens taken out',
  sweep_lamports: 'SOL taken out',
  migrate_vault: 'Vault updated',
  close_vault: 'Vault closed',
};

const NAMES: Readonly<Record<string, string>> = { ...OWNER_ACTION_NAMES, ...KIND_NAMES };

/** The name of an action of the log; one that this page does not know keeps its own. */
export const actionName = (action: string): string =>
  Object.hasOwn(NAMES, action) ? (NAMES[action] ?? action) : action;

/** Whether the amount of a row of the log is USDC: what an owner sweeps is something else. */
export const isUsdc = (action: string): boolean =>
  action !== 'sweep_token_account' && action !== 'sweep_lamports';
