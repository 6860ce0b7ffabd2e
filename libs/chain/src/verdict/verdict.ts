/**
 * The verdict on a sent attempt, decided from facts alone.
 *
 * Silence proves nothing. An attempt is expired only when (1) one node's finalized block height is
 * past its last valid one, at slot S, and (2) the session account, read at `finalized` at a slot at
 * or past S, has the bit of its spend_seq clear. Anything short of that is pending.
 *
 * The signature of a transaction that a third party sends is unknown. Its bit, read at `confirmed`,
 * then shows that it has landed.
 */

import { replayBit, type ReplayBit } from '@agent-wallet/policy';

import type { HeightAndSlot, SignatureStatus } from '../rpc/read/chain-reads.ts';
import type { SessionState } from '../program/program.ts';

export type AttemptFacts = {
  readonly spendSeq: bigint;
  readonly sessionIndex: bigint;
  readonly lastValidBlockHeight: bigint;
  /** The node's status of the signature; null when unknown or not requested. */
  readonly status: SignatureStatus | null;
  /** Finalized height and slot of one endpoint; null when not requested or without a reply. */
  readonly finalized: HeightAndSlot | null;
  /** The session read at `finalized`. Null: not read yet. */
  readonly session: SessionAtSlot | null;
  /** The session read at `confirmed` where the signature is unknown; else null. */
  readonly seen: SessionAtSlot | null;
};

/** `state` null when the account is gone. */
export type SessionAtSlot = { readonly slot: bigint; readonly state: SessionState | null };

export type AttemptVerdict =
  | { readonly kind: 'pending' }
  | { readonly kind: 'landed_ok'; readonly slot: bigint; readonly finalized: boolean }
  /** Its transaction has the reason. */
  | { readonly kind: 'landed_error'; readonly slot: bigint; readonly finalized: boolean }
  /** The height is past: read the session at `finalized`, at or past `minSlot`. */
  | { readonly kind: 'needs_session'; readonly minSlot: bigint }
  /** These bytes can never land. */
  | { readonly kind: 'expired_proven'; readonly slot: bigint }
  /** Some spend with this spend_seq landed: find it by its event. */
  | { readonly kind: 'find_landing'; readonly slot: bigint }
  /** The session account cannot decide: only the signature history at or past `slot` can. */
  | {
      readonly kind: 'search_history';
      readonly why: 'session_gone' | 'outside_window';
      readonly slot: bigint;
    };

function verdictOfStatus(status: SignatureStatus): AttemptVerdict {
  if (status.confirmationStatus === 'processed') return { kind: 'pending' };
  const finalized = status.confirmationStatus === 'finalized';
  const kind = status.err === null ? 'landed_ok' : 'landed_error';
  return { kind, slot: status.slot, finalized };
}

/**
 * The session's bit of a sequence number; `gone` when it is not the session that signed: a new
 * session at the same address has no record of the old one's spends.
 */
export function spendBitOf(
  { state }: SessionAtSlot,
  { sessionIndex, spendSeq }: Pick<AttemptFacts, 'sessionIndex' | 'spendSeq'>,
): ReplayBit | 'gone' {
  if (state === null || state.index !== sessionIndex) return 'gone';
  return replayBit(state.replay, spendSeq);
}

/** The verdict on one attempt. `pending` and `needs_session` require newer facts. */
export function decideAttempt(facts: AttemptFacts): AttemptVerdict {
  if (facts.status !== null) return verdictOfStatus(facts.status);
  const { finalized, session, seen } = facts;
  if (seen !== null && spendBitOf(seen, facts) === 'set') {
    return { kind: 'find_landing', slot: seen.slot };
  }
  if (finalized === null || finalized.blockHeight <= facts.lastValidBlockHeight) {
    return { kind: 'pending' };
  }
  if (session === null || session.slot < finalized.slot) {
    return { kind: 'needs_session', minSlot: finalized.slot };
  }
  const { slot } = session;
  const verdicts = {
    clear: { kind: 'expired_proven', slot },
    set: { kind: 'find_landing', slot },
    outside: { kind: 'search_history', why: 'outside_window', slot },
    gone: { kind: 'search_history', why: 'session_gone', slot },
  } as const satisfies Record<ReplayBit | 'gone', AttemptVerdict>;
  return verdicts[spendBitOf(session, facts)];
}
