import { describe, expect, it } from 'vitest';

import { agreeOn, needsCorroboration } from './agreement.ts';
import type { AttemptVerdict } from './verdict.ts';

const EXPIRED: AttemptVerdict = { kind: 'expired_proven', slot: 100n };
const GONE: AttemptVerdict = { kind: 'search_history', why: 'session_gone', slot: 100n };
const LANDED: AttemptVerdict = { kind: 'landed_ok', slot: 90n, finalized: true };
const FAILED: AttemptVerdict = { kind: 'landed_error', slot: 90n, finalized: false };
const SET: AttemptVerdict = { kind: 'find_landing', slot: 101n };
const PENDING: AttemptVerdict = { kind: 'pending' };
const NEEDS: AttemptVerdict = { kind: 'needs_session', minSlot: 99n };

describe('two endpoints', () => {
  it.each<[string, AttemptVerdict, AttemptVerdict, AttemptVerdict | null]>([
    ['agree on an expiry', EXPIRED, { ...EXPIRED, slot: 99n }, EXPIRED],
    ['agree on an expiry, later', EXPIRED, { ...EXPIRED, slot: 105n }, { ...EXPIRED, slot: 105n }],
    ['agree that the session cannot tell', GONE, { ...GONE, slot: 99n }, GONE],
    ['do not agree when one is behind', EXPIRED, PENDING, null],
    ['do not agree when one could not say', EXPIRED, NEEDS, null],
    ['do not agree on two kinds of absence', EXPIRED, GONE, null],
    ['do not agree on two kinds of absence, turned', GONE, EXPIRED, null],
    ['take a landing that one has seen', EXPIRED, LANDED, LANDED],
    ['take a failure that one has seen', EXPIRED, FAILED, FAILED],
    ['take a bit that one has seen', GONE, SET, SET],
  ])('%s', (_case, first, second, expected) => {
    expect(agreeOn(first, second)).toEqual(expected);
  });

  it('are required for an absence only', () => {
    const all = [EXPIRED, GONE, LANDED, FAILED, SET, PENDING, NEEDS];
    expect(all.filter(needsCorroboration)).toEqual([EXPIRED, GONE]);
  });
});
