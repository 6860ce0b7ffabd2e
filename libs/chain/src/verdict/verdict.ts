/**
 * What became of a sent attempt, decided from facts alone.
 *
 * Silence proves nothing. An attempt is expired only when (1) one node's finalized block height is
 * past its last valid one, at slot S, and (2) the session account, read at `finalized` at a slot
 * at or past S, has the bit of its spend_seq clear. Everything short of that is pending.
 *
 * Of a transaction that somebody else sends nobody knows the signature: there the bit, read at
 * `confirmed`, tells that it has landed.
 */

import { replayBit, type ReplayBit } from '@agent-wallet/policy';

import type { HeightAndSlot, SignatureStatus } from '../rpc/chain-reads.ts';
import type { SessionState } from '../program/program.ts';

export type AttemptFacts = {
  readonly spendSeq: bigint;
  readonly sessionIndex: bigint;
  readonly lastValidBlockHeight: bigint;
  /** The node's word on the signature, null when it does not know it or was not asked. */
  readonly status: SignatureStatus | null;
  /** Finalized height and slot of one endpoint, null when not asked or not answered. */
  readonly finalized: HeightAndSlot | null;
  /** The session read at `finalized`. Null: not read yet. */
  readonly session: SessionAtSlot | null;
  /** The session read at `confirmed`, where there is no signature to ask for; else null. */
  readonly seen: SessionAtSlot | null;
};

/** `state` null when the account is gone. */
export type SessionAtSlot = { readonly slot: bigint; readonly state: SessionState | null };

export type AttemptVerdict =
  | { readonly kind: 'pending' }
  | { readonly kind: 'landed_ok'; readonly slot: bigint; readonly finalized: boolean }
  /** Its transaction tells why. */
  | { readonly kind: 'landed_error'; readonly slot: bigint; readonly finalized: boolean }
  /** The height is past: read the session at `finalized`, at or past `minSlot`. */
  | { readonly kind: 'needs_session'; readonly minSlot: bigint }
  /** These bytes can never land. */
  | { readonly kind: 'expired_proven'; readonly slot: bigint }
  /** Some spend with this spend_seq landed: find it by its event. */
  | { readonly kind: 'find_landing'; readonly slot: bigint }
  /** The session account cannot tell: only the signature history at or past `slot` can. */
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
 * What a session says of a sequence number; 'gone' where it is not the session that signed: one
 * that was made again at the same address knows nothing of the old one's spends.
 */
export function spendBitOf(
  { state }: SessionAtSlot,
  { sessionIndex, spendSeq }: Pick<AttemptFacts, 'sessionIndex' | 'spendSeq'>,
): ReplayBit | 'gone' {
  if (state === null || state.index !== sessionIndex) return 'gone';
  return replayBit(state.replay, spendSeq);
}

/** The verdict on one attempt. `pending` and `needs_session` ask for newer facts. */
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
