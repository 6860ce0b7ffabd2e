import { createHash } from 'node:crypto';

/** A number in [0, 1) derived from the seed and the labels alone, not from clock or order. */
export function draw(seed: string, ...labels: readonly (string | number)[]): number {
  const digest = createHash('sha256')
    .update([seed, ...labels].join('\0'))
    .digest();
  return digest.readUIntBE(0, 6) / 2 ** 48;
}

/** A whole number from `least` to `most`, inclusive. */
export function drawWhole(
  [least, most]: readonly [number, number],
  seed: string,
  ...labels: readonly (string | number)[]
): number {
  return least + Math.floor(draw(seed, ...labels) * (most - least + 1));
}

/** One of `options`, each with its share of the numbers in [0, 1); null for the rest. */
export function pick<Option>(
  u: number,
  options: readonly Option[],
  shareOf: (option: Option) => number,
): Option | null {
  let rest = u;
  for (const option of options) {
    rest -= shareOf(option);
    if (rest < 0) return option;
  }
  return null;
}
