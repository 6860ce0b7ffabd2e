import { createHash } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { createBatches } from '@agent-wallet/batches';
import { createMemoryBuckets } from './memory-buckets.ts';
import type { Grant, Quota, Rate, RateLimiter, TokenBuckets, TokenStore } from './rate.ts';

/** The part of a limit that the copies keep for themselves, in equal shares. */
const KEPT_BY_COPIES = 0.1;
const STORE_TIMEOUT_MS = 500;
/** After a fault of the store. */
const STORE_REST_MS = 2_000;
const KEYS_PER_STATEMENT = 256;
const STATEMENTS_AT_ONCE = 2;
const MAX_KEYS = 50_000;
const ONE_QUEUE = '';

/** What the copies of a limit have in common. */
export type LimitStore = {
  readonly take: TokenStore;
  /** How many copies of the api run, at least 1. */
  readonly copies: () => number;
  /** Milliseconds of this process; they may jump. */
  readonly nowMs: () => number;
  /** Called when the store fails, at most once in two seconds. */
  readonly onFault: (error: unknown) => void;
};

/** Limits for callers who need not know how much is left. */
export function createRateLimiter(limit: NamedLimit, store: LimitStore): RateLimiter {
  const take = createSharedBuckets(limit, store);
  return async (key) => (await take(key)).retryAfterSeconds;
}

type NamedLimit = Rate & {
  /** Distinguishes the keys of this limit from those of others. */
  readonly name: string;
};

/**
 * A token bucket per key that all copies of the api share. A tenth of it is kept by the copies, in
 * equal shares, so that a slow caller costs no statement. A copy whose share is used up takes
 * tokens from the common part, some in advance, which fill up its share. All shares and the common
 * part together are the limit. Without the store, a copy allows the common part divided by the
 * number of copies.
 */
export function createSharedBuckets(limit: NamedLimit, store: LimitStore): TokenBuckets {
  const { name, burst } = limit;
  const { nowMs } = store;
  const kept = Math.floor(burst * KEPT_BY_COPIES) / burst;
  const common = part(limit, 1 - kept);
  const shareOf = (): Rate => part(limit, kept / store.copies());
  const shares = createMemoryBuckets(nowMs);
  const fallback = createMemoryBuckets(nowMs);
  const known = new Map<string, { readonly left: number; readonly atMs: number }>();
  let restUntilMs = Number.NEGATIVE_INFINITY;

  const takeFromStore = createBatches<string, Grant>({
    concurrency: STATEMENTS_AT_ONCE,
    maxWeight: KEYS_PER_STATEMENT,
    endsWaiting: () => true,
    run: async (keys) => {
      const counts = new Map<string, number>();
      for (const key of keys) counts.set(key, (counts.get(key) ?? 0) + 1);
      const inAdvance = Math.floor(shareOf().burst / 2);
      const requests = [...counts].map(([key, count]) => ({
        key: digest(name, key),
        wanted: count + inAdvance,
      }));
      const grants = await withinTime(store.take(common, requests));
      const left = new Map<string, { tokens: number; left: number }>();
      for (const [place, [key, count]] of [...counts].entries()) {
        const grant = grants[place] ?? { granted: 0, left: 0 };
        left.set(key, { tokens: grant.granted, left: grant.left });
        remember(key, grant.left);
        shares.add(key, Math.max(0, grant.granted - count), shareOf());
      }
      return keys.map((key) => {
        const of = left.get(key);
        if (of === undefined || of.tokens < 1) return { granted: 0, left: of?.left ?? 0 };
        of.tokens -= 1;
        return { granted: 1, left: of.left };
      });
    },
  });

  function remember(key: string, left: number): void {
    known.delete(key);
    known.set(key, { left, atMs: nowMs() });
    const [oldest] = known.keys();
    if (known.size > MAX_KEYS && oldest !== undefined) known.delete(oldest);
  }

  /** The most that the common part can hold: others may have taken from it. */
  function mostLeft(key: string): number {
    const seen = known.get(key);
    if (seen === undefined) return common.burst;
    const refilled = (Math.max(0, nowMs() - seen.atMs) / 1_000) * common.perSecond;
    return Math.min(common.burst, seen.left + refilled);
  }

  async function takeCommon(key: string): Promise<Grant> {
    const divided = part(common, 1 / store.copies());
    const takeAlone = (): Grant =>
      fallback.take(key, 1, { ...divided, burst: Math.max(1, divided.burst) });
    if (nowMs() < restUntilMs) return takeAlone();
    const most = mostLeft(key);
    if (most < 1) return { granted: 0, left: most };
    try {
      return await takeFromStore(ONE_QUEUE, key);
    } catch (error) {
      if (nowMs() >= restUntilMs) {
        restUntilMs = nowMs() + STORE_REST_MS;
        store.onFault(error);
      }
      return takeAlone();
    }
  }

  return async (key) => {
    const share = shareOf();
    const own = shares.take(key, 1, share);
    if (own.granted > 0) return served(limit, own.left + mostLeft(key));
    const { granted, left } = await takeCommon(key);
    // With what was taken in advance.
    if (granted > 0) return served(limit, shares.take(key, 0, share).left + left);
    const ofShare = share.burst < 1 ? Number.POSITIVE_INFINITY : (1 - own.left) / share.perSecond;
    return refused(limit, Math.min(ofShare, (1 - left) / common.perSecond));
  };
}

const part = ({ perSecond, burst }: Rate, share: number): Rate => ({
  perSecond: perSecond * share,
  burst: burst * share,
});

function served(rate: Rate, tokens: number): Quota {
  const remaining = Math.floor(tokens);
  const resetSeconds = Math.ceil((remaining + 1 - tokens) / rate.perSecond);
  return { retryAfterSeconds: null, remaining, resetSeconds, ...windowOf(rate) };
}

function refused(rate: Rate, waitSeconds: number): Quota {
  const seconds = Math.max(1, Math.ceil(waitSeconds));
  return { retryAfterSeconds: seconds, remaining: 0, resetSeconds: seconds, ...windowOf(rate) };
}

const windowOf = ({ perSecond, burst }: Rate) => ({
  burst,
  windowSeconds: Math.ceil(burst / perSecond),
});

/** Addresses and ids stay out of the table. */
const digest = (name: string, key: string): string =>
  createHash('sha256').update(`${name}\0${key}`).digest('hex').slice(0, 32);

async function withinTime<T>(call: Promise<T>): Promise<T> {
  const over = new AbortController();
  try {
    return await Promise.race([
      call,
      delay(STORE_TIMEOUT_MS, undefined, { signal: over.signal }).then(() => {
        throw new Error('the store of the rate limits does not answer');
      }),
    ]);
  } finally {
    over.abort();
  }
}
