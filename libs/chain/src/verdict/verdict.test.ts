import { describe, expect, it } from 'vitest';

import type { SignatureStatus } from '../rpc/read/chain-reads.ts';
import type { SessionState } from '../program/program.ts';
import { decideAttempt, type AttemptFacts } from './verdict.ts';

const session = (highestSeq: bigint, bitmap: readonly bigint[], index = 3n): SessionState => ({
  vault: 'vault',
  sessionPubkey: 'key',
  index,
  maxPerTx: 1n,
  dailyCap: 1n,
  expiry: 1n,
  allowedInstructions: 1,
  recipients: [],
  dailySpent: 0n,
  dailyWindowStart: 0n,
  window: { buckets: [], lastSeen: 0n },
  replay: { highestSeq, bitmap },
});
const CLEAR = session(5n, [0b100000n, 0n, 0n, 0n]);
const SET = session(5n, [0b110000n, 0n, 0n, 0n]);
const facts: AttemptFacts = {
  spendSeq: 4n,
  sessionIndex: 3n,
  lastValidBlockHeight: 1_000n,
  status: null,
  finalized: null,
  session: null,
  seen: null,
};
const status = (
  confirmationStatus: SignatureStatus['confirmationStatus'],
  err: unknown = null,
): SignatureStatus => ({ slot: 900n, err, confirmationStatus });
const PAST = { blockHeight: 1_001n, slot: 1_100n };
const AT = 1_100n;

const PENDING = { kind: 'pending' };
const NEEDS = { kind: 'needs_session', minSlot: AT };
const LANDED = { kind: 'landed_ok', slot: 900n, finalized: false };
const GONE = { kind: 'search_history', why: 'session_gone', slot: AT };
const MOVED_ON = { kind: 'search_history', why: 'outside_window', slot: AT };
/** The height has passed, and the session is read there. */
const pastWith = (state: SessionState | null, slot = AT): Partial<AttemptFacts> => ({
  finalized: PAST,
  session: { slot, state },
});

describe('the verdict on an attempt', () => {
  it.each<[string, Partial<AttemptFacts>, object]>([
    ['nothing known', {}, PENDING],
    ['seen but not confirmed', { status: status('processed') }, PENDING],
    ['seen with an error but not confirmed', { status: status('processed', 'x') }, PENDING],
    ['seen, height past', { status: status('processed'), finalized: PAST }, PENDING],
    ['confirmed', { status: status('confirmed') }, LANDED],
    ['finalized', { status: status('finalized') }, { ...LANDED, finalized: true }],
    ['failed', { status: status('confirmed', { x: 1 }) }, { ...LANDED, kind: 'landed_error' }],
    ['at its last block', { finalized: { ...PAST, blockHeight: 1_000n } }, PENDING],
    ['a bit is no proof before the height', { session: { slot: AT, state: CLEAR } }, PENDING],
    ['the height is no proof without the bit', { finalized: PAST }, NEEDS],
    ['a session read before the height is none', pastWith(CLEAR, AT - 1n), NEEDS],
    ['the bit is clear', pastWith(CLEAR), { kind: 'expired_proven', slot: AT }],
    ['the bit is set', pastWith(SET), { kind: 'find_landing', slot: AT }],
    ['the session is gone', pastWith(null), GONE],
    ['the session was made again', pastWith({ ...CLEAR, index: 4n }), GONE],
    ['the window has moved on', pastWith(session(260n, [0n, 0n, 0n, 0n])), MOVED_ON],
    ['landed, whatever else is said', { status: status('confirmed'), ...pastWith(CLEAR) }, LANDED],
  ])('%s', (_case, change, expected) => {
    expect(decideAttempt({ ...facts, ...change })).toEqual(expected);
  });
});
