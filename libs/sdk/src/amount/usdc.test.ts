import * as fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { formatUsdc, usdc } from './usdc.ts';

describe('usdc', () => {
  it.each([
    ['0.25', 250_000n],
    ['1', 1_000_000n],
    ['0', 0n],
    ['0.000001', 1n],
    ['1.50', 1_500_000n],
    ['007', 7_000_000n],
    ['18446744073709.551615', 2n ** 64n - 1n],
  ])('reads %s', (text, amount) => {
    expect(usdc(text)).toBe(amount);
  });

  it.each([
    '',
    ' 1',
    '-1',
    '+1',
    '1.',
    '.5',
    '1,5',
    '1e3',
    '0x1',
    '٣',
    '0.0000001',
    '18446744073709.551616',
    '9'.repeat(21),
  ])('refuses %j', (text) => {
    expect(() => usdc(text)).toThrow(expect.objectContaining({ code: 'INVALID_AMOUNT' }));
  });

  it('refuses a number, which may have lost digits', () => {
    expect(() => Reflect.apply(usdc, undefined, [0.25])).toThrow(/a number is not an amount/);
  });
});

test.each([
  [250_000n, '0.25'],
  [1_000_000n, '1'],
  [0n, '0'],
  [1n, '0.000001'],
  [-1_500_000n, '-1.5'],
])('formatUsdc writes %s as %s', (amount, text) => {
  expect(formatUsdc(amount)).toBe(text);
});

test('every amount survives the way to text and back', () => {
  fc.assert(
    fc.property(fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }), (amount) => {
      expect(usdc(formatUsdc(amount))).toBe(amount);
    }),
  );
});
