import { predictVaultRefusal } from '@agent-wallet/policy';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { mostToDeposit, readShare, shareOfBp, shareText } from './share.ts';

describe('a share of the balance', () => {
  it.each([
    ['25', 2_500],
    ['12.5', 1_250],
    ['0', 0],
    ['100', 10_000],
    ['100.00', 10_000],
    ['33.33', 3_333],
    [' 7.07 ', 707],
  ])('%j is %d basis points', (text, bp) => {
    expect(readShare(text)).toBe(bp);
  });

  it.each(['', '-1', '100.01', '101', '1e1', '0.001', '12,5', 'all'])('%j is none', (text) => {
    expect(readShare(text)).toBeNull();
  });

  it('reads the same as it is shown, for every basis point', () => {
    for (let bp = 0; bp <= 10_000; bp += 1) {
      expect(readShare(shareText(bp).replace('%', ''))).toBe(bp);
    }
  });

  it('is rounded down, and 0 of nothing', () => {
    expect([shareOfBp(1n, 3n), shareOfBp(0n, 0n), shareOfBp(5n, 5n)]).toEqual([3_333, 0, 10_000]);
  });
});

describe('the most to deposit', () => {
  it('is exactly what the program lets pass', () => {
    const units = fc.bigInt({ min: 0n, max: 1_000n });
    fc.assert(
      fc.property(units, units, fc.integer({ min: 0, max: 10_000 }), (liquid, deployed, bp) => {
        const vault = { liquid, deployed, maxDeployedFractionBp: bp };
        const passes = (amount: bigint): boolean =>
          amount <= liquid &&
          predictVaultRefusal(vault, { instruction: 'yield_deposit', amount }) === null;
        const most = mostToDeposit(vault, bp) ?? -1n;
        expect([most === 0n || passes(most), passes(most + 1n)]).toEqual([true, false]);
      }),
    );
  });

  it('is not known while the balance is not', () => {
    expect(mostToDeposit({ liquid: null, deployed: 5n }, 10_000)).toBeNull();
  });
});
