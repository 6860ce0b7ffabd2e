import { describe, expect, it } from 'vitest';

import { toBigIntBE, toBigIntLE, toBufferBE, toBufferLE } from './index.ts';

const U64_MAX = 2n ** 64n - 1n;

describe('integers as bytes', () => {
  it.each<[bigint, number, string]>([
    [0n, 0, ''],
    [0n, 8, '0000000000000000'],
    [1n, 8, '0000000000000001'],
    [0x0102n, 2, '0102'],
    [0x0a0b0cn, 4, '000a0b0c'],
    [U64_MAX, 8, 'ffffffffffffffff'],
    [U64_MAX + 1n, 16, '00000000000000010000000000000000'],
  ])('%s in %s bytes is 0x%s, and back', (value, width, hex) => {
    const bytes = Buffer.from(hex, 'hex');
    const reversed = Buffer.from(bytes.toReversed());
    expect(toBufferBE(value, width)).toEqual(bytes);
    expect(toBufferLE(value, width)).toEqual(reversed);
    expect(toBigIntBE(bytes)).toBe(value);
    expect(toBigIntLE(reversed)).toBe(value);
    expect(reversed).toEqual(Buffer.from(bytes.toReversed()));
  });

  it.each([
    [U64_MAX + 1n, 8],
    [256n, 1],
    [-1n, 8],
  ])('%s does not fit in %s bytes', (value, width) => {
    expect(() => toBufferBE(value, width)).toThrow(RangeError);
    expect(() => toBufferLE(value, width)).toThrow(RangeError);
  });
});
