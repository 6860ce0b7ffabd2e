/** The spend: its states, its transitions, and one file per SQL verb. */
export { SPEND_KINDS, type Spend, type SpendKind, type SpendStatus } from './spend.ts';
export { isLanded, isPending, isRefused, isYield, REFUSALS } from './spend.ts';
export { addService, removeService, setServiceEnabled } from './catalog/change-catalog.ts';
export { findEnabledService } from './catalog/find-service.ts';
export { listServices } from './catalog/list-services.ts';
export { type Service, SERVICE_METHODS, SERVICE_PROOFS } from './catalog/service.ts';
export { closeLanded, postponeRefused } from './delivery/close-landed.ts';
export type { Delivery, DeliveryState, NewDelivery } from './delivery/delivery.ts';
export {
  countOpenDeliveries,
  findDelivery,
  findUpstream,
  readProgress,
  type Upstream,
} from './delivery/find-delivery.ts';
export { forgetAnswers } from './delivery/forget-answers.ts';
export { leaseDeliveries, type LeasedDelivery } from './delivery/lease-deliveries.ts';
export { recordTry, type Try } from './delivery/record-try.ts';
export { nextRetryId, spendIdFor } from './spend-id.ts';
export {
  acceptSpend,
  acceptSpends,
  type AcceptOutcome,
  type Budgets,
  type UsedUp,
  type NewSpend,
  type Facilitator,
  type PendingLimits,
} from './accept/accept-spend.ts';
export { cancelAllQueued, cancelQueued } from './accept/cancel-queued.ts';
export {
  CLAIM_OUTCOMES,
  type Claim,
  type Claimed,
  type ClaimOutcome,
  claimSpends,
  type LaneClaims,
  type SignedAttempt,
} from './lane/claim-spends.ts';
export { closeIfForgotten } from './lane/close-if-forgotten.ts';
export { countFault } from './lane/count-fault.ts';
export {
  finalizeSpends,
  listUnfinalized,
  type LandedSpend,
  postponeFinality,
} from './finality/finalize-spends.ts';
export { readRequestFacts, type RequestFacts } from './accept/read-request-facts.ts';
export { findSpends } from './find-spends.ts';
export { listSpends } from './list-spends.ts';
export { leaseAttempts, type WatchedAttempt } from './watch/lease-attempts.ts';
export { keystoreFits } from './accept/keystore-fits.ts';
export { listIdleLanes, type IdleLane } from './lane/list-idle-lanes.ts';
export { listPendingIds } from './accept/list-pending-ids.ts';
export { holdResends } from './watch/hold-resends.ts';
export { createResendNow } from './watch/resend-now.ts';
export { recordSignature } from './watch/record-signature.ts';
export { type NextLook, postponeAttempts } from './watch/postpone-attempts.ts';
export { raiseBroadcasts } from './watch/raise-broadcasts.ts';
export { readWire } from './watch/read-wire.ts';
export { raiseNextSeq } from './lane/raise-next-seq.ts';
export { countOpen, type OpenWork } from './operate/count-open.ts';
export {
  type FeePayerBalance,
  type FeePayerRow,
  listFeePayers,
  recordFeePayers,
} from './operate/fee-payers.ts';
export { listStuck, type StuckSpend } from './operate/list-stuck.ts';
export { makeDue } from './operate/make-due.ts';
export { readBacklog, type Backlog } from './read-backlog.ts';
export { openLanes, type OpenedLane } from './lane/open-lanes.ts';
export { type Lane, type LaneQueue, type QueuedSpend, readLane } from './lane/read-lane.ts';
export { readLaneLoads, type LaneLoad } from './lane/read-lane-loads.ts';
export { refuseUnbroadcast } from './lane/refuse-unbroadcast.ts';
export { rejectQueued } from './lane/reject-queued.ts';
export { readReleased, releaseAttempt, type ReleasedAttempt } from './lane/release-attempt.ts';
export { releaseLease } from './lane/release-lease.ts';
export { settleAttempts, type Settlement, type SettledSpend } from './settle/settle-attempts.ts';
export { sumCaps, type Caps } from './sum-caps.ts';
export { watchAgain } from './watch/watch-again.ts';
export { announceSettled, SPEND_SETTLED } from './settle/announce-settled.ts';
export { ATTEMPT_STORED, createAnnounceAttempts, LOOK_NOW } from './lane/announce-attempts.ts';
export { sumReserved, type Reserved } from './accept/sum-reserved.ts';
