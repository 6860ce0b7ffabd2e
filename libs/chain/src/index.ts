/** The only door of this system to the chain. */
export { isOnCurve, parseAddress } from './program/addresses.ts';
export { isSignature, isTransactionOf } from './build/wire.ts';
export type { Addresses, Deployment } from './program/addresses.ts';
export { checkDeployment } from './program/check-deployment.ts';
export { agreeOn, needsWitness } from './verdict/agreement.ts';
export { memoUnitLimit } from './build/memo.ts';
export { createBalanceReader, isTokenAccountOf, tokenAmountOf } from './rpc/balances.ts';
export type { ReadBalance, TokenBalance } from './rpc/balances.ts';
export { createBlockhashSource } from './rpc/blockhash-source.ts';
export type { BlockhashSource } from './rpc/blockhash-source.ts';
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
} from './rpc/chain-reads.ts';
export {
  bigintField,
  numberField,
  booleanField,
  stringField,
  stringsField,
} from './program/coder-values.ts';
export type { PlainRecord, PlainValue } from './program/coder-values.ts';
export type { EndpointHealth } from './endpoints/endpoint-health.ts';
export { sessionOfEvent, spendIdOfEvent } from './program/events.ts';
export type { ProgramEvent } from './program/events.ts';
export { findFailure } from './verdict/find-failure.ts';
export { findLandingAmong } from './verdict/find-landing-among.ts';
export type { LandingAmong } from './verdict/find-landing-among.ts';
export { findLanding } from './verdict/find-landing.ts';
export type { Landing, LandingQuery } from './verdict/find-landing.ts';
export { EVERYTHING } from './build/instruction-parts.ts';
export type { ChangedLimits, SessionLimits } from './build/instructions.ts';
export { reserveOnChain, SANDBOX_RESERVE } from './reserve/known-reserves.ts';
export { createOwnerTransactions } from './build/owner-transactions.ts';
export type { OwnerTransactions } from './build/owner-transactions.ts';
export { createPriorityFees } from './rpc/priority-fees.ts';
export type { PriorityFees } from './rpc/priority-fees.ts';
export { createProgramFeed } from './program/program-feed.ts';
export type {
  FeedBatch,
  FeedCursor,
  ProgramFeed,
  ProgramTransaction,
} from './program/program-feed.ts';
export { isReplayRefusal, refusalCodeOf } from './program/program-failure.ts';
export type { ProgramFailure } from './program/program-failure.ts';
export { createWalletProgram } from './program/program.ts';
export type { SessionState, VaultState, WalletProgram } from './program/program.ts';
export type { Reserve } from './reserve/reserve.ts';
export {
  accruedOf,
  collateralAmountFor,
  collateralToRedeem,
  decodeReserve,
  valueOfCollateral,
  withdrawableOf,
} from './reserve/reserve-state.ts';
export type { ReserveState } from './reserve/reserve-state.ts';
export { createRpc } from './rpc/rpc.ts';
export type { Rpc, RpcOptions } from './rpc/rpc.ts';
export { openRpcPool } from './endpoints/rpc-pool.ts';
export type { ReadOnOne, RpcPool, RpcPoolOptions } from './endpoints/rpc-pool.ts';
export { createSend, failureOfSimulation, failureOfTransaction } from './rpc/send.ts';
export type { Send, SendOptions } from './rpc/send.ts';
export type { SendOutcome } from './rpc/send-outcome.ts';
export { signForFacilitator, signSpend } from './sign/semantic-signer.ts';
export type { SignedSpend, SignRequest } from './sign/semantic-signer.ts';
export { takesPart, unitLimitOf, writableAccountsOf } from './build/spend-action.ts';
export type { SpendAction } from './build/spend-action.ts';
export { buildSpendMessage, unsignedWire } from './build/spend-message.ts';
export type { SpendIntent } from './build/spend-message.ts';
export { decideAttempt, spendBitOf } from './verdict/verdict.ts';
export type { AttemptFacts, AttemptVerdict, SessionAtSlot } from './verdict/verdict.ts';
export { yieldDeposit, yieldWithdraw } from './build/yield-instructions.ts';
export type { YieldDepositArgs, YieldWithdrawArgs } from './build/yield-instructions.ts';
