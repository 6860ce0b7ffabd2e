/** The client of an owner, apart from the agent's so that an agent's bundle stays small. */
export { createOwnerClient } from './create-owner-client.ts';
export type {
  AuditFilter,
  CreatedSession,
  NamedSession,
  OwnerCallOptions,
  OwnerClient,
  OwnerClientOptions,
  OwnerSpendFilter,
  PolicyRequest,
  SessionRequest,
  Withdrawal,
} from './owner-client.ts';
export type {
  AuditItem,
  DepositAddress,
  Policy,
  RotatedKey,
  Session,
  SessionBlastRadius,
  SignedIn,
  Wallet,
  WalletBlastRadius,
  WalletYield,
} from './owner-replies.ts';
export type { SendProgress } from './chain/send-and-confirm.ts';
export { createOwnerExit } from './exit/create-owner-exit.ts';
export type { SessionAccount } from './exit/decode-accounts.ts';
export type { OwnerExit, OwnerExitOptions, RevocableSession } from './exit/owner-exit.ts';
export type { VaultOnChain } from './exit/read-vault.ts';
export type { OwnerTransaction } from './owner-transaction.ts';
export { keypairSigner } from './signer/keypair-signer.ts';
export type { OwnerSigner } from './signer/owner-signer.ts';
export {
  type StandardAccount,
  type StandardWallet,
  walletStandardSigner,
} from './signer/wallet-standard-signer.ts';
export { type Deployment, DEVNET, LOCAL, type Reserve } from './transaction/addresses.ts';
export type { SessionLimits } from './transaction/expect-transaction.ts';
export type { DecodedInstruction } from './transaction/expected-instruction.ts';
export type { OwnerWebhooks, WebhookChange, WebhookRequest } from './webhooks/owner-webhooks.ts';
export type {
  CreatedWebhook,
  RotatedSecret,
  Webhook,
  WebhookDelivery,
} from './webhooks/webhook-calls.ts';
export type { WebhookEventType } from '@agent-wallet/contract';
export { type LimitedSession, type Spendable, worstCase } from './worst-case.ts';
export type { Config, ListedSpend } from '../agent/replies.ts';
export { formatUsdc, usdc } from '../amount/usdc.ts';
export {
  AgentWalletError,
  type ErrorCode,
  isAgentWalletError,
} from '../http/agent-wallet-error.ts';
