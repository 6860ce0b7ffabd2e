/**
 * One spend, from the request to the proof.
 *
 * A spend is `queued` when the api has accepted it. The session's lane claims it: it signs, stores
 * the attempt and sends, and the spend is `in_flight`. The confirm-worker then finds out what the
 * chain did. Landed and succeeded: `confirmed`, later `finalized`. Landed and failed: `reverted`,
 * which becomes `rejected` when it is final. Proven never to land: `queued` again while the spend
 * is young (a new signature, the same spend_seq), else `rejected`. Refused before any broadcast, by
 * a rule of ours or by the program in preflight: `rejected` at once. A fork may undo a confirmation
 * or a failure until it is final; then the row is corrected, and nothing is signed again.
 *
 * A payment that an x402 facilitator sends is claimed once and never sent by us. Its bytes may
 * leave when `released_at` is committed, and while it is in flight they may leave again. It is
 * never queued again: proven never to land it is `rejected`.
 *
 *   queued    → in_flight   tx-worker      claimSpends (by fence)
 *   queued    → rejected    tx-worker      rejectQueued (by fence), api cancelQueued (never claimed)
 *   in_flight → rejected    tx-worker      refuseUnbroadcast (broadcasts = 0)
 *   in_flight → confirmed, reverted, queued, rejected      confirm-worker  settleAttempts
 *   confirmed → finalized, reverted → rejected             confirm-worker  finalizeSpends
 *   reverted, rejected → confirmed (a correction)          confirm-worker  settleAttempts
 *   confirmed → rejected (a correction: forked out)        confirm-worker  settleAttempts
 *
 * Each transition is one conditional UPDATE in one SQL transaction with its audit row. Locks are
 * taken in the order wallet, session, lane, spend, audit.
 */
import { sql } from 'slonik';
import { z } from 'zod';

export const spendRow = z.object({
  spendId: z.string(),
  walletId: z.string(),
  sessionId: z.string(),
  kind: z.enum(['transfer', 'sign_payment', 'pay_service', 'yield_deposit', 'yield_withdraw']),
  amount: z.bigint(),
  reserved: z.bigint(),
  recipient: z.string().nullable(),
  url: z.string().nullable(),
  status: z.enum(['queued', 'in_flight', 'confirmed', 'finalized', 'reverted', 'rejected']),
  spendSeq: z.bigint().nullable(),
  attempt: z.number(),
  broadcasts: z.number(),
  broadcaster: z.enum(['worker', 'facilitator']),
  facilitatorFeePayer: z.string().nullable(),
  facilitatorMemo: z.string().nullable(),
  releasedAt: z.date().nullable(),
  txSignature: z.string().nullable(),
  landedSlot: z.bigint().nullable(),
  code: z.string().nullable(),
  detail: z.string().nullable(),
  notAfter: z.date(),
  createdAt: z.date(),
  claimedAt: z.date().nullable(),
  settledAt: z.date().nullable(),
  finalizedAt: z.date().nullable(),
});

/**
 * A spend row. Amounts are USDC base units. `broadcaster` 'facilitator': an x402 facilitator pays
 * the fee and sends; `releasedAt` is when it was first handed the bytes.
 */
export type Spend = z.output<typeof spendRow>;
export type SpendKind = Spend['kind'];
export const SPEND_KINDS: readonly SpendKind[] = spendRow.shape.kind.options;
export type SpendStatus = Spend['status'];

/** Columns of a spend in the shape of {@link Spend}; the table must be in scope as `spend`. */
export const spendColumns = sql.fragment`
  spend.spend_id as "spendId", spend.wallet_id as "walletId", spend.session_id as "sessionId",
  spend.kind, spend.amount, spend.reserved, spend.recipient, spend.url, spend.status,
  spend.spend_seq as "spendSeq", spend.attempt, spend.broadcasts,
  spend.broadcaster, spend.facilitator_fee_payer as "facilitatorFeePayer",
  spend.facilitator_memo as "facilitatorMemo", spend.released_at as "releasedAt",
  spend.tx_signature as "txSignature", spend.landed_slot as "landedSlot", spend.code,
  spend.detail, spend.not_after as "notAfter", spend.created_at as "createdAt",
  spend.claimed_at as "claimedAt", spend.settled_at as "settledAt",
  spend.finalized_at as "finalizedAt"
`;

/** How long after its acceptance a spend may be signed again. */
const SIGN_AGAIN_WITHIN_SECONDS = 180;

/** SQL: young enough to be signed again after an attempt that provably expired. */
export const isYoung = sql.fragment`
  spend.created_at > now() - ${SIGN_AGAIN_WITHIN_SECONDS} * interval '1 second'
`;

/** SQL: in time for the first signature, or for another one. */
export const mayBeSigned = sql.fragment`
  case spend.attempt when 0 then spend.not_after > now() else ${isYoung} end
`;

/** Refusal codes of our own; every other code on a refused spend is the program's error name. */
export const REFUSALS = {
  expiredUnsent: 'EXPIRED_UNSENT',
  neverLanded: 'NEVER_LANDED',
  notSettled: 'NOT_SETTLED',
  forkedOut: 'FORKED_OUT',
  outsideTimeWindow: 'OUTSIDE_TIME_WINDOW',
  unsupportedByService: 'UNSUPPORTED_BY_SERVICE',
  partialLiquidity: 'PARTIAL_LIQUIDITY',
  internal: 'INTERNAL',
} as const;

/** True for a spend that moves money into or out of the yield reserve. */
export function isYield(kind: SpendKind): kind is 'yield_deposit' | 'yield_withdraw' {
  return kind === 'yield_deposit' || kind === 'yield_withdraw';
}

/** True once the spend has landed and succeeded. */
export function isLanded(status: SpendStatus): boolean {
  return status === 'confirmed' || status === 'finalized';
}

/** True once the spend was refused or has landed and failed; a fork may still correct it. */
export function isRefused(status: SpendStatus): boolean {
  return status === 'reverted' || status === 'rejected';
}

/** True while the outcome is open: the money stays reserved. */
export function isPending(status: SpendStatus): boolean {
  return status === 'queued' || status === 'in_flight';
}
