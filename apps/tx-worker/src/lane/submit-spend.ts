import { isReplayRefusal, type Send } from '@agent-wallet/chain';
import type { Database } from '@agent-wallet/db';
import {
  announceSettled,
  type ClaimOutcome,
  claimSpend,
  type Lane,
  refuseUnbroadcast,
  type Spend,
} from '@agent-wallet/spend';
import type { LeaseClock } from './lease-clock.ts';
import type { Metrics } from '../metrics.ts';
import type { PreparedSpend } from '../sign/preparation.ts';
import { type IsSessionAbsent, describeRefusal } from '../sign/describe-refusal.ts';

/**
 * The outcome of one submission; 'refused' carries the settled spend. 'stored': the bytes are for a
 * facilitator, and we never send them.
 */
type Submission =
  | { readonly kind: 'sent' }
  | { readonly kind: 'stored' }
  | { readonly kind: 'refused'; readonly spend: Spend }
  | { readonly kind: 'not_claimed'; readonly outcome: Exclude<ClaimOutcome, 'claimed'> };

export type SubmitSpend = (submission: {
  readonly lane: Lane;
  readonly spend: Spend;
  readonly prepared: PreparedSpend;
  readonly fence: bigint;
  readonly clock: LeaseClock;
}) => Promise<Submission>;

type SubmitDeps = {
  readonly db: Database;
  readonly send: Send;
  readonly isSessionAbsent: IsSessionAbsent;
  readonly metrics: Metrics;
};

/**
 * Stores the attempt, then makes its first send, unless a facilitator sends it. After a send that
 * was not refused it writes nothing: the confirm-worker finds the outcome on chain.
 */
export function createSubmitSpend(deps: SubmitDeps): SubmitSpend {
  return async ({ lane, spend, prepared, fence, clock }) => {
    const { signed, minContextSlot } = prepared;
    const outcome = await claimSpend(deps.db, { spend, fence, signed });
    deps.metrics.claims.inc({ outcome });
    if (outcome !== 'claimed') return { kind: 'not_claimed', outcome };
    if (signed.signature === null) {
      // The waiting request continues when the bytes are stored.
      await announceSettled(deps.db, [spend.spendId]);
      return { kind: 'stored' };
    }
    // The lease may end during the send: the confirm-worker sends the stored bytes.
    if (!clock.maySend()) return { kind: 'sent' };
    const answer = await deps.send(signed.wire, { skipPreflight: false, minContextSlot });
    deps.metrics.sends.inc({ outcome: answer.kind });
    if (answer.kind !== 'refused' || isReplayRefusal(answer.failure)) return { kind: 'sent' };
    const verdict = await describeRefusal(deps.isSessionAbsent, lane, answer.failure);
    if (verdict === null) return { kind: 'sent' };
    const refused = await refuseUnbroadcast(deps.db, {
      spend,
      attempt: spend.attempt + 1,
      ...verdict,
    });
    if (refused === null) return { kind: 'sent' };
    deps.metrics.refusals.inc({ code: verdict.code });
    return { kind: 'refused', spend: refused };
  };
}
