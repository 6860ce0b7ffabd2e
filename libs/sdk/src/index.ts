/** The client of the agent spending wallet. */
export { createAgentWallet } from './agent/create-agent-wallet.ts';
export type {
  AgentWallet,
  AgentWalletOptions,
  CallOptions,
  PaidChallenge,
  SpendFilter,
  SpendOptions,
} from './agent/agent-wallet.ts';
export type { PayingFetchInit } from './agent/paying-fetch/paying-fetch.ts';
export type {
  ConfirmedSpend,
  Deposit,
  Limits,
  ListedSpend,
  Pending,
  Position,
  Quote,
  Service,
  SignedPayment,
  Spend,
  Transfer,
  Withdrawal,
} from './agent/replies.ts';
export { formatUsdc, usdc } from './amount/usdc.ts';
export { AgentWalletError, type ErrorCode, isAgentWalletError } from './http/agent-wallet-error.ts';
export type { Refusal, RefusalDetails } from './http/refusal.ts';
