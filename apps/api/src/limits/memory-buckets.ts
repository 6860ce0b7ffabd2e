import type { Grant, Rate } from './rate.ts';

type Bucket = { readonly tokens: number; readonly atMs: number };

/** Maximum number of keys; the least recently used one is dropped, as if its bucket were full. */
const MAX_KEYS = 50_000;

export type MemoryBuckets = {
  /** Takes up to `wanted` whole tokens. */
  readonly take: (key: string, wanted: number, rate: Rate) => Grant;
  /** Adds tokens; a bucket holds no more than its burst. */
  readonly add: (key: string, tokens: number, rate: Rate) => void;
};

/** Token buckets in the memory of this process. A bucket's rate may change between two calls. */
export function createMemoryBuckets(nowMs: () => number): MemoryBuckets {
  const buckets = new Map<string, Bucket>();

  function change(key: string, { perSecond, burst }: Rate, by: (tokens: number) => number): void {
    const atMs = nowMs();
    const known = buckets.get(key) ?? { tokens: burst, atMs };
    const refilled = known.tokens + (Math.max(0, atMs - known.atMs) / 1_000) * perSecond;
    const tokens = by(Math.min(burst, refilled));
    buckets.delete(key);
    buckets.set(key, { tokens, atMs });
    const [oldest] = buckets.keys();
    if (buckets.size > MAX_KEYS && oldest !== undefined) buckets.delete(oldest);
  }

  return {
    take: (key, wanted, rate) => {
      let grant: Grant = { granted: 0, left: 0 };
      change(key, rate, (tokens) => {
        const granted = Math.min(wanted, Math.floor(tokens));
        grant = { granted, left: tokens - granted };
        return grant.left;
      });
      return grant;
    },
    add: (key, added, rate) => change(key, rate, (tokens) => Math.min(rate.burst, tokens + added)),
  };
}
