import { describe, expect, it } from 'vitest';
import { amountIn, toAmountOut } from './amount.ts';

const U64 = '18446744073709551615';

describe('amountIn', () => {
  it.each([
    [1, 1n],
    [1_000_000, 1_000_000n],
    [9_007_199_254_740_991, 9_007_199_254_740_991n],
    ['1', 1n],
    ['0001', 1n],
    ['9007199254740993', 9_007_199_254_740_993n],
    [U64, 18_446_744_073_709_551_615n],
  ])('takes %j', (input, expected) => {
    expect(amountIn.parse(input)).toBe(expected);
  });

  it.each([
    0,
    -1,
    1.5,
    2 ** 53,
    1e300,
    '0',
    '-1',
    '1.5',
    '1e3',
    '',
    ' 1',
    '0x10',
    '18446744073709551616',
    '9'.repeat(100_000),
    null,
    undefined,
    true,
    [],
    {},
    Number.NaN,
  ])('refuses %j with a text about base units', (input) => {
    const message = amountIn.safeParse(input).error?.issues[0]?.message;
    expect(message).toMatch(/^must be a positive number in base units/);
  });

  it('says why a JSON number above 2^53 - 1 is not taken', () => {
    expect(amountIn.safeParse(2 ** 53).error?.issues[0]?.message).toContain('send it as a string');
  });
});

describe('toAmountOut', () => {
  it.each([
    [0n, 0],
    [2n ** 53n, 2 ** 53],
    [2n ** 53n + 1n, '9007199254740993'],
    [2n ** 64n - 1n, U64],
  ])('answers %s as %j', (amount, expected) => {
    expect(toAmountOut(amount)).toBe(expected);
  });
});
