import { expect, test } from 'vitest';
import { decimal, remainderText, solOf } from './describe-leaving.ts';

test.each([
  [0n, '0'],
  [1n, '0.000001'],
  [12_500_000n, '12.5'],
  [10_000_000n, '10'],
  [18_446_744_073_709_551_615n, '18446744073709.551615'],
])('%s base units are %s USDC', (amount, text) => {
  expect(decimal(amount, 6)).toBe(text);
});

test('lamports are billionths of a SOL', () => {
  expect(solOf(2_039_280n)).toBe('0.00203928 SOL');
});

test.each([true, false])(
  'collateral that stays has a way out, with a reserve: %s',
  (hasReserve) => {
    const text = remainderText({ kind: 'collateral', units: 7n, hasReserve });
    expect(text).toContain('7 units of collateral');
    expect(text).toContain('--collateral-in-kind');
  },
);
