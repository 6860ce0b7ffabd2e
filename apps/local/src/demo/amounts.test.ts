import { expect, it } from 'vitest';
import { inUsdc } from './amounts.ts';

it.each([
  [0n, '0 USDC'],
  [1n, '0.000001 USDC'],
  [2_500_000n, '2.5 USDC'],
  [1_000_000n, '1 USDC'],
  [-1_100_780n, '-1.10078 USDC'],
  [2n ** 64n - 1n, '18446744073709.551615 USDC'],
])('%s base units read %s', (baseUnits, text) => {
  expect(inUsdc(baseUnits)).toBe(text);
});
