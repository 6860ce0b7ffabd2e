import * as fc from 'fast-check';
import { expect, it } from 'vitest';

import { predictVaultRefusal } from './mirrored-limits.ts';

const vault = (liquid: bigint, deployed: bigint, maxDeployedFractionBp: number) => ({
  liquid,
  deployed,
  maxDeployedFractionBp,
});

it.each([
  ['half of it, allowed half', vault(100n, 0n, 5_000), 50n, null],
  ['a unit above half', vault(100n, 0n, 5_000), 51n, 'DeployedFractionExceeded'],
  ['what is left up to half', vault(60n, 40n, 5_000), 10n, null],
  ['a unit above that', vault(60n, 40n, 5_000), 11n, 'DeployedFractionExceeded'],
  ['a third that rounds up', vault(3n, 0n, 3_333), 1n, 'DeployedFractionExceeded'],
  ['all, allowed all', vault(7n, 0n, 10_000), 7n, null],
  ['anything, allowed nothing', vault(100n, 0n, 0), 1n, 'DeployedFractionExceeded'],
  ['anything of nothing', vault(0n, 0n, 10_000), 1n, 'DeployedFractionExceeded'],
  ['of the largest balance', vault(2n ** 64n - 1n, 0n, 10_000), 2n ** 64n - 1n, null],
])('a deposit of %s', (_, state, amount, expected) => {
  expect(predictVaultRefusal(state, { instruction: 'yield_deposit', amount })).toBe(expected);
});

it.each([
  [10n, null],
  [11n, 'WithdrawExceedsDeployed'],
])('a withdrawal of %s where 10 are deployed: %s', (amount, expected) => {
  const request = { instruction: 'yield_withdraw', amount } as const;
  expect(predictVaultRefusal(vault(0n, 10n, 0), request)).toBe(expected);
});

it('allows a deposit exactly when the deployed share is no larger than allowed', () => {
  const units = fc.bigInt({ min: 0n, max: 1_000_000n });
  fc.assert(
    fc.property(units, units, units, fc.integer({ min: 0, max: 10_000 }), (a, b, amount, bp) => {
      const total = a + b;
      const refused = predictVaultRefusal(vault(a, b, bp), {
        instruction: 'yield_deposit',
        amount,
      });
      // Below 2^53 / 10^4 the doubles on both sides are exact.
      const fits = Number(b + amount) * 10_000 <= bp * Number(total);
      expect(refused === null).toBe(fits);
    }),
  );
});
