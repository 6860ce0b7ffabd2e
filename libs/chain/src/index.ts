/** The only door of this system to the chain. */
export { isOnCurve, parseAddress } from './addresses.ts';
export { isSignature, isTransactionOf } from './wire.ts';
export type { Addresses, Deployment } from './addresses.ts';
export { checkDeployment } from './check-deployment.ts';
export { agreeOn, needsWitness } from './agreement.ts';
export { memoUnitLimit } from './memo.ts';
export { createBalanceReader, isTokenAccountOf, tokenAmountOf } from './balances.ts';
export type { ReadBalance, TokenBalance } from './balances.ts';
export { createBlockhashSource } from './blockhash-source.ts';
export type { BlockhashSource } from './blockhash-source.ts';
export type {
  AccountSnapshot,
  AccountsAtSlot,
  ChainTransaction,
  Commitment,
  HeightAndSlot,
  LatestBlockhash,
  SignatureRecord,
  SignatureStatus,
  SimulationResult,
  StatusesAtSlot,
  TokenChange,
} from './chain-reads.ts';
export {
  bigintField,
  numberField,
  booleanField,
  stringField,
  stringsField,
} from './coder-values.ts';
export type { PlainRecord, PlainValue } from './coder-values.ts';
export type { EndpointHealth } from './endpoint-health.ts';
export { sessionOfEvent, spendIdOfEvent } from './events.ts';
export type { ProgramEvent } from './events.ts';
export { findFailure } from './find-failure.ts';
export { findLandingAmong } from './find-landing-among.ts';
export type { LandingAmong } from './find-landing-among.ts';
export { findLanding } from './find-landing.ts';
export type { Landing, LandingQuery } from './find-landing.ts';
export { EVERYTHING } from './instruction-parts.ts';
export type { ChangedLimits, SessionLimits } from './instructions.ts';
export { reserveOnChain, SANDBOX_RESERVE } from './known-reserves.ts';
export { createOwnerTransactions } from './owner-transactions.ts';
export type { OwnerTransactions } from './owner-transactions.ts';
export { createPriorityFees } from './priority-fees.ts';
export type { PriorityFees } from './priority-fees.ts';
export { createProgramFeed } from './program-feed.ts';
export type { FeedBatch, FeedCursor, ProgramFeed, ProgramTransaction } from './program-feed.ts';
export { isReplayRefusal, refusalCodeOf } from './program-failure.ts';
export type { ProgramFailure } from './program-failure.ts';
export { createWalletProgram } from './program.ts';
export type { SessionState, VaultState, WalletProgram } from './program.ts';
export type { Reserve } from './reserve.ts';
export {
  accruedOf,
  collateralAmountFor,
  collateralToRedeem,
  decodeReserve,
  valueOfCollateral,
  withdrawableOf,
} from './reserve-state.ts';
export type { ReserveState } from './reserve-state.ts';
export { createRpc } from './rpc.ts';
export type { Rpc, RpcOptions } from './rpc.ts';
export { openRpcPool } from './rpc-pool.ts';
export type { ReadOnOne, RpcPool, RpcPoolOptions } from './rpc-pool.ts';
export { createSend, failureOfSimulation, failureOfTransaction } from './send.ts';
export type { Send, SendOptions } from './send.ts';
export type { SendOutcome } from './send-outcome.ts';
export { signForFacilitator, signSpend } from './semantic-signer.ts';
export type { SignedSpend, SignRequest } from './semantic-signer.ts';
export { takesPart, unitLimitOf, writableAccountsOf } from './spend-action.ts';
export type { SpendAction } from './spend-action.ts';
export { buildSpendMessage, unsignedWire } from './spend-message.ts';
export type { SpendIntent } from './spend-message.ts';
export { decideAttempt, spendBitOf } from './verdict.ts';
export type { AttemptFacts, AttemptVerdict, SessionAtSlot } from './verdict.ts';
export { yieldDeposit, yieldWithdraw } from './yield-instructions.ts';
export type { YieldDepositArgs, YieldWithdrawArgs } from './yield-instructions.ts';
