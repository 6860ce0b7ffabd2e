import { describe, expect, it } from 'vitest';

import type { SignatureStatus } from '../rpc/chain-reads.ts';
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

describe('the verdict on an attempt', () => {
  it.each<[string, Partial<AttemptFacts>, object]>([
    ['nothing known', {}, { kind: 'pending' }],
    ['seen but not confirmed', { status: status('processed') }, { kind: 'pending' }],
    [
      'seen with an error but not confirmed',
      { status: status('processed', 'x') },
      { kind: 'pending' },
    ],
    ['seen, height past', { status: status('processed'), finalized: PAST }, { kind: 'pending' }],
    [
      'confirmed',
      { status: status('confirmed') },
      { kind: 'landed_ok', slot: 900n, finalized: false },
    ],
    [
      'finalized',
      { status: status('finalized') },
      { kind: 'landed_ok', slot: 900n, finalized: true },
    ],
    [
      'failed',
      { status: status('confirmed', { x: 1 }) },
      { kind: 'landed_error', slot: 900n, finalized: false },
    ],
    [
      'at its last block',
      { finalized: { blockHeight: 1_000n, slot: 1_100n } },
      { kind: 'pending' },
    ],
    [
      'a bit is no proof before the height',
      { session: { slot: AT, state: CLEAR } },
      { kind: 'pending' },
    ],
    [
      'the height is no proof without the bit',
      { finalized: PAST },
      { kind: 'needs_session', minSlot: AT },
    ],
    [
      'a session read before the height is none',
      { finalized: PAST, session: { slot: AT - 1n, state: CLEAR } },
      { kind: 'needs_session', minSlot: AT },
    ],
    [
      'the bit is clear',
      { finalized: PAST, session: { slot: AT, state: CLEAR } },
      { kind: 'expired_proven', slot: AT },
    ],
    [
      'the bit is set',
      { finalized: PAST, session: { slot: AT, state: SET } },
      { kind: 'find_landing', slot: AT },
    ],
    [
      'the session is gone',
      { finalized: PAST, session: { slot: AT, state: null } },
      { kind: 'search_history', why: 'session_gone', slot: AT },
    ],
    [
      'the session was made again',
      { finalized: PAST, session: { slot: AT, state: { ...CLEAR, index: 4n } } },
      { kind: 'search_history', why: 'session_gone', slot: AT },
    ],
    [
      'the window has moved on',
      { finalized: PAST, session: { slot: AT, state: session(260n, [0n, 0n, 0n, 0n]) } },
      { kind: 'search_history', why: 'outside_window', slot: AT },
    ],
    [
      'landed whatever else is said',
      { status: status('confirmed'), finalized: PAST, session: { slot: AT, state: CLEAR } },
      { kind: 'landed_ok', slot: 900n, finalized: false },
    ],
  ])('%s', (_case, change, expected) => {
    expect(decideAttempt({ ...facts, ...change })).toEqual(expected);
  });
});
