/**
 * The functions that `@solana/buffer-layout-utils` imports from `bigint-buffer`. The registry's
 * package is abandoned: its native addon overflows (CVE-2025-3194), and without the addon it prints
 * a warning at each start. Its forks bring native addons too. A workspace of that name takes the
 * package's place.
 */

export function toBigIntBE(bytes: Buffer): bigint {
  return bytes.length === 0 ? 0n : BigInt(`0x${bytes.toString('hex')}`);
}

export function toBigIntLE(bytes: Buffer): bigint {
  return toBigIntBE(Buffer.from(bytes.toReversed()));
}

/** Throws RangeError when `value` is negative or does not fit in `width` bytes. */
export function toBufferBE(value: bigint, width: number): Buffer {
  const hex = value === 0n ? '' : value.toString(16);
  if (value < 0n || hex.length > width * 2) {
    throw new RangeError(`${value} does not fit in ${width} bytes`);
  }
  return Buffer.from(hex.padStart(width * 2, '0'), 'hex');
}

/** Throws RangeError when `value` is negative or does not fit in `width` bytes. */
export function toBufferLE(value: bigint, width: number): Buffer {
  return Buffer.from(toBufferBE(value, width).toReversed());
}
