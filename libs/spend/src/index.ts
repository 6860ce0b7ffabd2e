/** The spend: its states, its edges, and one file per SQL verb. */
export type { Spend, SpendKind, SpendStatus } from './spend.ts';
export { isPending, REFUSALS } from './spend.ts';
export { addService, removeService, setServiceEnabled } from './catalogue/change-catalogue.ts';
export { findEnabledService } from './catalogue/find-service.ts';
export { listServices } from './catalogue/list-services.ts';
export { type Service, SERVICE_METHODS, SERVICE_PROOFS } from './catalogue/service.ts';
export { closeLanded, putOffRefused } from './delivery/close-landed.ts';
export type { Delivery, DeliveryState, NewDelivery } from './delivery/delivery.ts';
export { countOpenDeliveries, findDelivery, readProgress } from './delivery/find-delivery.ts';
export { forgetAnswers } from './delivery/forget-answers.ts';
export { leaseDeliveries, type LeasedDelivery } from './delivery/lease-deliveries.ts';
export { recordTry, type Try } from './delivery/record-try.ts';
export { nextTake, spendIdFor } from './spend-id.ts';
export {
  acceptSpend,
  type AcceptOutcome,
  type AskedSpend,
  type Facilitator,
  type PendingLimits,
} from './store/accept-spend.ts';
export { cancelQueued } from './store/cancel-queued.ts';
export { claimSpend, type ClaimOutcome, type SignedAttempt } from './store/claim-spend.ts';
export { countFault } from './store/count-fault.ts';
export {
  finalizeSpends,
  listUnfinalized,
  type LandedSpend,
  putOffFinality,
} from './store/finalize-spends.ts';
export { findByIdempotencyKey } from './store/find-by-idempotency-key.ts';
export { findSpends } from './store/find-spends.ts';
export { leaseAttempts, type WatchedAttempt } from './store/lease-attempts.ts';
export { keystoreFits } from './store/keystore-fits.ts';
export { listIdleLanes, type IdleLane } from './store/list-idle-lanes.ts';
export { listQueued } from './store/list-queued.ts';
export { noteSignature } from './store/note-signature.ts';
export { postponeAttempts } from './store/postpone-attempts.ts';
export { raiseBroadcasts } from './store/raise-broadcasts.ts';
export { listSpendableSessions } from './store/list-spendable-sessions.ts';
export { raiseNextSeq } from './store/raise-next-seq.ts';
export { readBacklog, type Backlog } from './store/read-backlog.ts';
export { readLane, type Lane } from './store/read-lane.ts';
export type { Budgets, UsedUp } from './store/read-budget.ts';
export { readLaneLoad, type LaneLoad } from './store/read-lane-load.ts';
export { refuseUnbroadcast } from './store/refuse-unbroadcast.ts';
export { rejectQueued } from './store/reject-queued.ts';
export { readReleased, releaseAttempt, type ReleasedAttempt } from './store/release-attempt.ts';
export { releaseLease } from './store/release-lease.ts';
export { settleAttempts, type Settlement, type SettledSpend } from './store/settle-attempts.ts';
export { sumCaps, type Caps } from './store/sum-caps.ts';
export { takeLease } from './store/take-lease.ts';
export { watchAgain } from './store/watch-again.ts';
export { announceSettled, SPEND_SETTLED } from './store/announce-settled.ts';
export { ATTEMPT_STORED } from './store/claim-spend.ts';
export { lockWallet } from './store/lock-wallet.ts';
export { sumReserved, type Reserved } from './store/sum-reserved.ts';
