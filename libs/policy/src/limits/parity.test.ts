/** Checks the mirrors against the vectors that the program's own tests write and verify. */

import { describe, expect, it } from 'vitest';

import replayVectors from '../../../../program/vectors/replay_window.json' with { type: 'json' };
import spendVectors from '../../../../program/vectors/spend_window.json' with { type: 'json' };
import { replayBit } from './replay-window.ts';
import { applySpend, countedSpend, emptySpendWindow, type SpendWindow } from './spend-window.ts';

const MAX_STEP_AHEAD = 2n ** 32n;
const bigints = (texts: readonly string[]): bigint[] => texts.map(BigInt);

function spendError(window: SpendWindow, now: bigint, amount: bigint, cap: bigint): string | null {
  if (now < 0n) return 'InvalidClock';
  return countedSpend(window, now) + amount > cap ? 'DailyCapExceeded' : null;
}

describe('the mirrors of the program', () => {
  it.each(spendVectors)('spend window: $name', ({ steps }) => {
    let window = emptySpendWindow();
    for (const step of steps) {
      const now = BigInt(step.now);
      const error = spendError(window, now, BigInt(step.amount), BigInt(step.daily_cap));
      expect(error).toBe(step.error);
      if (error === null) window = applySpend(window, now, BigInt(step.amount));
      expect(window.lastSeen).toBe(BigInt(step.last_seen));
      expect(countedSpend(window, window.lastSeen)).toBe(BigInt(step.daily_spent));
      // The account may still hold expired buckets; the counted sum must be the same.
      expect(countedSpend({ ...window, buckets: bigints(step.buckets) }, window.lastSeen)).toBe(
        BigInt(step.daily_spent),
      );
      expect(window.buckets).toEqual(bigints(step.buckets));
    }
  });

  it.each(replayVectors)('replay window: $name', ({ steps }) => {
    let window = { highestSeq: 0n, bitmap: [0n, 0n, 0n, 0n] };
    for (const step of steps) {
      const seq = BigInt(step.seq);
      const isTooFar = seq > window.highestSeq + MAX_STEP_AHEAD;
      const known = isTooFar ? 'too_far' : replayBit(window, seq);
      const error = {
        too_far: 'SpendSequenceTooFar',
        set: 'SpendAlreadyExecuted',
        outside: 'SpendSequenceTooOld',
        clear: null,
      }[known];
      expect(error).toBe(step.error);
      window = { highestSeq: BigInt(step.highest_seq), bitmap: bigints(step.bitmap) };
      expect(step.error !== null || replayBit(window, seq) === 'set').toBe(true);
    }
  });
});
