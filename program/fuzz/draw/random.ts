import { createHash } from 'node:crypto';

/** Draws that are determined by the seed. */
export type Random = {
  /** A whole number from 0 to `count` - 1. */
  readonly below: (count: number) => number;
  readonly chance: (share: number) => boolean;
  readonly pick: <T>(list: readonly T[]) => T;
  /** A 64-bit number of any size: every number of bits is equally likely. */
  readonly u64: () => bigint;
  /** From `least` to `most`, both included. */
  readonly between: (least: bigint, most: bigint) => bigint;
};

/** A generator of Chris Doty-Humphrey's SFC family with 32-bit words, seeded by a hash. */
export function createRandom(...seed: readonly (string | number)[]): Random {
  const state = new Uint32Array(4);
  const digest = createHash('sha256').update(seed.join('\0')).digest();
  for (let word = 0; word < 4; word += 1) state[word] = digest.readUInt32LE(word * 4);
  const next = (): number => {
    const [a = 0, b = 0, c = 0, d = 0] = state;
    const sum = (a + b + d) >>> 0;
    state[0] = b ^ (b >>> 9);
    state[1] = c + (c << 3);
    state[2] = ((c << 21) | (c >>> 11)) + sum;
    state[3] = d + 1;
    return sum;
  };
  const below = (count: number): number => Math.floor((next() / 2 ** 32) * count);
  const bits64 = (): bigint => (BigInt(next()) << 32n) | BigInt(next());
  return {
    below,
    chance: (share) => next() / 2 ** 32 < share,
    pick: (list) => {
      for (const picked of list.slice(below(list.length))) return picked;
      throw new RangeError('nothing to pick from');
    },
    u64: () => bits64() >> BigInt(below(64)),
    between: (least, most) => (most <= least ? least : least + (bits64() % (most - least + 1n))),
  };
}
