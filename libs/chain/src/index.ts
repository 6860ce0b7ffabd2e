/** The system's only access to the chain, folder by folder. */

export { isTokenAccountOf, tokenAmountOf } from './rpc/read/balances.ts';
export { createBlockhashSource, type BlockhashSource } from './rpc/read/blockhash-source.ts';
export type {
  AccountsAtSlot,
  AccountSnapshot,
  ChainTransaction,
  Commitment,
  HeightAndSlot,
  LatestBlockhash,
  SignatureRecord,
  SignatureStatus,
  SimulationResult,
  StatusesAtSlot,
  TokenChange,
} from './rpc/read/chain-reads.ts';
export { createPriorityFees, type PriorityFees } from './rpc/read/priority-fees.ts';
export { createSharedAccounts, type ReadAccounts } from './rpc/read/shared-accounts.ts';
export { createRpc, type Rpc, type RpcOptions } from './rpc/rpc.ts';
export type { SendOutcome } from './rpc/send/send-outcome.ts';
export {
  createSend,
  failureOfSimulation,
  failureOfTransaction,
  type Send,
  type SendOptions,
} from './rpc/send/send.ts';

export { isChainAway } from './endpoints/endpoint-faults.ts';
export { listenForLandings } from './endpoints/listen-for-landings.ts';
export { socketUrlOf } from './endpoints/socket-url.ts';
export type { EndpointHealth } from './endpoints/endpoint-health.ts';
export { createRpcEndpointMetrics } from './endpoints/rpc-endpoint-metrics.ts';
export { createRpcMetrics } from './endpoints/rpc-metrics.ts';
export {
  openRpcPool,
  type ReadOnOne,
  type RpcPool,
  type RpcPoolOptions,
} from './endpoints/rpc-pool.ts';

export {
  addressOfBytes,
  isOnCurve,
  parseAddress,
  type Addresses,
  type Deployment,
} from './program/addresses.ts';
export { checkDeployment } from './program/check-deployment.ts';
export {
  bigintField,
  booleanField,
  numberField,
  stringField,
  stringsField,
  type PlainRecord,
  type PlainValue,
} from './program/coder-values.ts';
export { PROGRAM_ERROR_NAMES, PROGRAM_EVENT_NAMES } from './program/idl.ts';
export { sessionOfEvent, spendIdOfEvent, type ProgramEvent } from './program/events.ts';
export { isReplayRefusal, refusalCodeOf, type ProgramFailure } from './program/program-failure.ts';
export {
  createProgramFeed,
  type FeedBatch,
  type FeedCursor,
  type FeedPosition,
  type ProgramFeed,
  type ProgramTransaction,
  type Explain,
} from './program/program-feed.ts';
export type { FeedPlace } from './program/walk-program.ts';
export {
  createWalletProgram,
  type SessionState,
  type VaultState,
  type WalletProgram,
} from './program/program.ts';

export {
  checkMainnet,
  MAINNET_GENESIS_HASH,
  type MainnetSettings,
  readMainnetChecklist,
} from './mainnet/check-mainnet.ts';
export { type ChecklistItem, multisigGap } from './mainnet/mainnet-checklist.ts';
export {
  hashProgram,
  parseProgramData,
  PROGRAM_DATA_HEADER_BYTES,
  type ProgramCode,
} from './mainnet/program-code.ts';
export {
  multisigAddress,
  parseMultisig,
  SQUADS_PROGRAM,
  type SquadsMultisig,
  vaultOfMultisig,
} from './mainnet/squads-multisig.ts';

export { OWNER_DEADLINE_MINUTES, ownerDeadline } from './build/deadlines.ts';
export { EVERYTHING } from './build/instruction-parts.ts';
export {
  transferUsdc,
  type ChangedLimits,
  type NamedSession,
  type SessionLimits,
} from './build/instructions.ts';
export { transferUnitLimit } from './program/compute-units.ts';
export { memoUnitLimit } from './build/memo.ts';
export { createOwnerTransactions, type OwnerTransactions } from './build/owner-transactions.ts';
export {
  takesPart,
  unitLimitOf,
  writableAccountsOf,
  type SpendAction,
} from './build/spend-action.ts';
export { buildSpendMessage, unsignedWire, type SpendIntent } from './build/spend-message.ts';
export { isSignature, isTransactionOf } from './build/wire.ts';
export {
  yieldDeposit,
  yieldWithdraw,
  type YieldDepositArgs,
  type YieldWithdrawArgs,
} from './build/yield-instructions.ts';

export { readFacilitatedSpend, type FacilitatedSpend } from './sign/read-facilitated-spend.ts';
export {
  signForFacilitator,
  signSpend,
  type SignedSpend,
  type SignRequest,
} from './sign/semantic-signer.ts';

export {
  collateralOf,
  countedSessions,
  type HeldTokenAccount,
  type Holdings,
} from './leave/holdings.ts';
export {
  planLeaving,
  type FailedStep,
  type LeavePlan,
  type LeaveStep,
  type Remainder,
} from './leave/plan-leaving.ts';
export { programOfVault, readHoldings } from './leave/read-holdings.ts';
export { stepInstructions } from './leave/step-instructions.ts';

export { agreeOn, needsCorroboration } from './verdict/agreement.ts';
export { type FailedTransaction, findFailure } from './verdict/find-failure.ts';
export { findLandingAmong, type LandingAmong } from './verdict/find-landing-among.ts';
export { findLanding, type Landing, type LandingQuery } from './verdict/find-landing.ts';
export {
  decideAttempt,
  spendBitOf,
  type AttemptFacts,
  type AttemptVerdict,
  type SessionAtSlot,
} from './verdict/verdict.ts';

export { reserveOnChain, SANDBOX_RESERVE } from './reserve/known-reserves.ts';
export {
  accruedOf,
  collateralAmountFor,
  collateralToRedeem,
  decodeReserve,
  payableCollateral,
  valueOfCollateral,
  withdrawableOf,
  type ReserveState,
} from './reserve/reserve-state.ts';
export type { Reserve } from './reserve/reserve.ts';
