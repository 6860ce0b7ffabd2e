/** A token bucket's rule: it holds `burst` tokens and gets `perSecond` new ones. */
export type Rate = { readonly perSecond: number; readonly burst: number };

/** What came of a request for tokens: how many were granted, and how many are left, with fractions. */
export type Grant = { readonly granted: number; readonly left: number };

/**
 * Takes up to `wanted` whole tokens of each key from the buckets that all copies share. The keys
 * differ. Throws when the store is not available.
 */
export type TokenStore = (
  rate: Rate,
  requests: readonly { readonly key: string; readonly wanted: number }[],
) => Promise<readonly Grant[]>;

/** What is left of a limit after a request. */
export type Quota = {
  /** Null when the request had a token. */
  readonly retryAfterSeconds: number | null;
  /** Whole tokens that are left, as far as this copy knows. */
  readonly remaining: number;
  /** Until the next token. */
  readonly resetSeconds: number;
  readonly burst: number;
  /** Time in which an empty bucket fills. */
  readonly windowSeconds: number;
};

/** Takes one token for `key`, if there is one. */
export type TokenBuckets = (key: string) => Promise<Quota>;

/** Takes one token for `key`. Returns null on success, else the seconds until the next token. */
export type RateLimiter = (key: string) => Promise<number | null>;
