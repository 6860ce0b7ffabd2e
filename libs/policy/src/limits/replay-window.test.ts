import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { replayBit, type ReplayWindow } from './replay-window.ts';

/** The window of the chain after it has accepted these, in this order. */
function windowOf(accepted: readonly bigint[]): ReplayWindow {
  const highestSeq = accepted.reduce((highest, seq) => (seq > highest ? seq : highest), 0n);
  const bitmap = [0n, 0n, 0n, 0n];
  for (const seq of accepted) {
    if (seq + 256n <= highestSeq) continue;
    const word = Number((seq % 256n) / 64n);
    bitmap[word] = (bitmap[word] ?? 0n) | (1n << (seq % 64n));
  }
  return { highestSeq, bitmap };
}

describe('the replay window', () => {
  it.each([
    ['zero', 0n, 'outside'],
    ['a used one', 300n, 'set'],
    ['the oldest that it still knows', 45n, 'set'],
    ['one too old', 44n, 'outside'],
    ['an unused one below the highest', 299n, 'clear'],
    ['one above the highest', 301n, 'clear'],
    ['one a full ring above a used one', 45n + 256n, 'clear'],
  ])('is right for %s', (_case, seq, expected) => {
    expect(replayBit(windowOf([44n, 45n, 300n]), seq)).toBe(expected);
  });

  it('agrees with a set of all accepted numbers', () => {
    const seqs = fc.uniqueArray(fc.bigInt({ min: 1n, max: 700n }), { maxLength: 200 });
    fc.assert(
      fc.property(seqs, fc.bigInt({ min: 0n, max: 800n }), (accepted, seq) => {
        const window = windowOf(accepted);
        const bit = replayBit(window, seq);
        const isOutside = seq === 0n || seq + 256n <= window.highestSeq;
        const known = accepted.includes(seq) ? 'set' : 'clear';
        expect(bit).toBe(isOutside ? 'outside' : known);
      }),
    );
  });
});
