import { expect, it } from 'vitest';
import { readAmount } from './read-amount.ts';

it.each([
  ['1.25', 2_000_000n, { kind: 'amount', amount: 1_250_000n }],
  ['2', 2_000_000n, { kind: 'amount', amount: 2_000_000n }],
  ['2', null, { kind: 'amount', amount: 2_000_000n }],
])('%j of at most %s is taken', (text, most, expected) => {
  expect(readAmount(text, most, 'deposited')).toEqual(expected);
});

it.each([
  ['', 'Enter an amount such as 12.50, with at most six decimals.'],
  ['0', 'Enter an amount above 0.'],
  ['2.000001', 'At most 2 USDC can be deposited now.'],
])('%j is refused', (text, reason) => {
  expect(readAmount(text, 2_000_000n, 'deposited')).toEqual({ kind: 'refused', reason });
});
