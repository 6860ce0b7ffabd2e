import { isReplayRefusal, type ProgramFailure, type Send } from '@agent-wallet/chain';
import type { Database } from '@agent-wallet/db';
import {
  type ClaimOutcome,
  claimSpend,
  type Lane,
  refuseUnbroadcast,
  type Spend,
} from '@agent-wallet/spend';
import type { LeaseClock } from './lease-clock.ts';
import type { Metrics } from './metrics.ts';
import type { PreparedSpend } from './prepare-spend.ts';

/** What became of one submission; 'refused' carries the settled spend. */
type Submission =
  | { readonly kind: 'sent' }
  | { readonly kind: 'refused'; readonly spend: Spend }
  | { readonly kind: 'not_claimed'; readonly outcome: Exclude<ClaimOutcome, 'claimed'> };

export type SubmitSpend = (ask: {
  readonly lane: Lane;
  readonly spend: Spend;
  readonly prepared: PreparedSpend;
  readonly fence: bigint;
  readonly clock: LeaseClock;
}) => Promise<Submission>;

type SubmitDeps = {
  readonly db: Database;
  readonly send: Send;
  /** Whether the session's account is absent at or past that slot: a second look at `confirmed`. */
  readonly isSessionAbsent: (sessionPda: string, minSlot: bigint) => Promise<boolean>;
  readonly metrics: Metrics;
};

/**
 * Stores the attempt, then makes its first send. After a send that was not refused it writes
 * nothing: the chain tells, and the confirm-worker listens.
 */
export function createSubmitSpend(deps: SubmitDeps): SubmitSpend {
  return async ({ lane, spend, prepared, fence, clock }) => {
    const { signed, minContextSlot } = prepared;
    const outcome = await claimSpend(deps.db, { spend, fence, signed });
    deps.metrics.claims.inc({ outcome });
    if (outcome !== 'claimed') return { kind: 'not_claimed', outcome };
    // Too late to be sure of the lane: the stored bytes go out by the confirm-worker.
    if (!clock.maySend()) return { kind: 'sent' };
    const answer = await deps.send(signed.wire, { skipPreflight: false, minContextSlot });
    deps.metrics.sends.inc({ outcome: answer.kind });
    if (answer.kind !== 'refused' || isReplayRefusal(answer.failure)) return { kind: 'sent' };
    const verdict = await wordRefusal(deps, lane, answer.failure);
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

/**
 * The refusal in the words of the contract. A missing session account is believed only after a
 * second look at or past the slot at which it was last seen; null: the first answer was too old.
 */
async function wordRefusal(
  deps: SubmitDeps,
  lane: Lane,
  failure: ProgramFailure,
): Promise<{ code: string; detail: string } | null> {
  const isMissingSession =
    failure.name === 'AccountNotInitialized' && failure.account === 'session';
  if (!isMissingSession) return { code: failure.name, detail: failure.detail };
  const absent = await deps
    .isSessionAbsent(lane.sessionPda, lane.liveSlot ?? 0n)
    .catch(() => false);
  if (!absent) return null;
  if (lane.liveSlot === null) return { code: failure.name, detail: failure.detail };
  return { code: 'SessionRevoked', detail: `SessionRevoked: ${failure.detail}` };
}
