import { isIPv6 } from 'node:net';

/** Takes one token for `key`. Returns null on success, else the seconds until the next token. */
export type RateLimiter = (key: string) => number | null;

/** What is left of a bucket after a request. */
export type Quota = {
  /** Null when the request had a token. */
  readonly retryAfterSeconds: number | null;
  /** Whole tokens that are left. */
  readonly remaining: number;
  /** Until the next token. */
  readonly resetSeconds: number;
  readonly burst: number;
  /** Time in which an empty bucket fills. */
  readonly windowSeconds: number;
};

/** Takes one token for `key`, if there is one. */
export type TokenBuckets = (key: string) => Quota;

type Rate = {
  readonly perSecond: number;
  readonly burst: number;
  readonly nowMs: () => number;
};

type Bucket = { tokens: number; atMs: number };

/** Maximum number of keys; the least recently used one is dropped, as if its bucket were full. */
const MAX_KEYS = 50_000;

/** Token buckets for callers who need not know how much is left. */
export function createRateLimiter(rate: Rate): RateLimiter {
  const take = createTokenBuckets(rate);
  return (key) => take(key).retryAfterSeconds;
}

/** A token bucket per key, in the memory of this process. */
export function createTokenBuckets(options: Rate): TokenBuckets {
  const { burst, perSecond } = options;
  const windowSeconds = Math.ceil(burst / perSecond);
  const buckets = new Map<string, Bucket>();
  return (key) => {
    const atMs = options.nowMs();
    const known = buckets.get(key);
    const refilled =
      known === undefined
        ? burst
        : known.tokens + (Math.max(0, atMs - known.atMs) / 1000) * perSecond;
    const before = Math.min(burst, refilled);
    const tokens = before >= 1 ? before - 1 : before;
    buckets.delete(key);
    buckets.set(key, { tokens, atMs });
    if (buckets.size > MAX_KEYS) forgetOldest(buckets);
    const remaining = Math.floor(tokens);
    const resetSeconds = Math.ceil((remaining + 1 - tokens) / perSecond);
    const retryAfterSeconds = before >= 1 ? null : resetSeconds;
    return { retryAfterSeconds, remaining, resetSeconds, burst, windowSeconds };
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
