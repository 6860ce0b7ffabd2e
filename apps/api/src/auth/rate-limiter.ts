import { isIPv6 } from 'node:net';

/** Takes one token for `key`. Returns null on success, else the seconds until the next token. */
export type RateLimiter = (key: string) => number | null;

type Bucket = { tokens: number; atMs: number };

/** Maximum number of keys; the least recently used one is dropped, as if its bucket were full. */
const MAX_KEYS = 50_000;

/** A token bucket per key, in the memory of this process. */
export function createRateLimiter(options: {
  readonly perSecond: number;
  readonly burst: number;
  readonly nowMs: () => number;
}): RateLimiter {
  const buckets = new Map<string, Bucket>();
  return (key) => {
    const atMs = options.nowMs();
    const known = buckets.get(key);
    const refilled =
      known === undefined
        ? options.burst
        : known.tokens + (Math.max(0, atMs - known.atMs) / 1000) * options.perSecond;
    const tokens = Math.min(options.burst, refilled);
    buckets.delete(key);
    buckets.set(key, { tokens: tokens >= 1 ? tokens - 1 : tokens, atMs });
    if (buckets.size > MAX_KEYS) forgetOldest(buckets);
    return tokens >= 1 ? null : Math.ceil((1 - tokens) / options.perSecond);
  };
}

function forgetOldest(buckets: Map<string, Bucket>): void {
  const oldest = buckets.keys().next();
  if (oldest.done !== true) buckets.delete(oldest.value);
}

/** The rate limit's key for an address: IPv4 whole, IPv6 by its /64, which one host owns. */
export function addressKey(ip: string): string {
  if (!isIPv6(ip)) return ip;
  const mapped = /^::ffff:([0-9.]+)$/i.exec(ip)?.[1];
  if (mapped !== undefined) return mapped;
  const [head = '', tail] = ip.split('::');
  const left = head === '' ? [] : head.split(':');
  const right = tail === undefined || tail === '' ? [] : tail.split(':');
  const zeros = tail === undefined ? 0 : Math.max(0, 8 - left.length - right.length);
  const groups = [...left, ...Array.from({ length: zeros }, () => '0'), ...right];
  return `${groups.slice(0, 4).join(':')}::/64`;
}
