/**
 * The at-most-once window of a session: the highest spend_seq the program has accepted and a ring
 * of 256 bits behind it (the anti-replay window of RFC 6479). What the ring says about a spend_seq
 * is the chain's own word on whether that spend landed.
 */

const RING_BITS = 256n;
const WORD_BITS = 64n;

/** `bitmap` has four words of 64 bits; bit seq mod 256 belongs to spend_seq. */
export type ReplayWindow = { readonly highestSeq: bigint; readonly bitmap: readonly bigint[] };

/** `set`: accepted once. `clear`: never accepted. `outside`: too old, the ring cannot tell. */
export type ReplayBit = 'set' | 'clear' | 'outside';

/** The bit of `spendSeq`. A seq above the highest has not been accepted yet. */
export function replayBit(window: ReplayWindow, spendSeq: bigint): ReplayBit {
  if (spendSeq < 1n) return 'outside';
  if (spendSeq > window.highestSeq) return 'clear';
  if (spendSeq + RING_BITS <= window.highestSeq) return 'outside';
  const word = window.bitmap[Number((spendSeq % RING_BITS) / WORD_BITS)];
  if (word === undefined) throw new RangeError('a replay window has four words');
  return ((word >> (spendSeq % WORD_BITS)) & 1n) === 1n ? 'set' : 'clear';
}
