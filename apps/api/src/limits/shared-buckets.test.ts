import { describe, expect, it } from 'vitest';
import { createMemoryStore } from '../../test/fixtures/memory-store.ts';
import type { TokenStore } from './rate.ts';
import { createRateLimiter, createSharedBuckets } from './shared-buckets.ts';

/** Copies of the api on one store, and their clock. */
function openCopies(count: number, limit: { readonly perSecond: number; readonly burst: number }) {
  const clock = { nowMs: 1_000_000 };
  const nowMs = (): number => clock.nowMs;
  const faults: unknown[] = [];
  const world = { store: createMemoryStore(nowMs), statements: 0 };
  const take: TokenStore = (rate, requests) => {
    world.statements += 1;
    return world.store(rate, requests);
  };
  const onFault = (error: unknown): void => void faults.push(error);
  const store = { take, copies: () => count, nowMs, onFault };
  const copies = Array.from({ length: count }, () =>
    createSharedBuckets({ name: 'requests', ...limit }, store),
  );
  /** Sends requests to one copy after the other; returns how many were allowed. */
  const allowed = async (requests: number, key = 'a'): Promise<number> => {
    let granted = 0;
    for (let n = 0; n < requests; n += 1) {
      const quota = await copies[n % count]?.(key);
      if (quota?.retryAfterSeconds === null) granted += 1;
    }
    return granted;
  };
  return { clock, faults, world, store, copies, allowed };
}

const notAvailable: TokenStore = () => Promise.reject(new Error('no store'));

describe('the copies of the api together', () => {
  it.each([1, 2, 3])('allow a burst once, and what is added then: %i of them', async (count) => {
    const { clock, allowed } = openCopies(count, { perSecond: 10, burst: 60 });
    expect(await allowed(200)).toBe(60);
    clock.nowMs += 2_000;
    const added = await allowed(200);
    expect(added).toBeLessThanOrEqual(20);
    // Each share may hold a part of a token.
    expect(added).toBeGreaterThan(20 - count);
    clock.nowMs += 3_600_000;
    expect(await allowed(200)).toBe(60);
  });

  it('limit each key apart', async () => {
    const { allowed } = openCopies(2, { perSecond: 1, burst: 20 });
    expect(await allowed(50, 'a')).toBe(20);
    expect(await allowed(50, 'b')).toBe(20);
  });

  it('allow no more when all requests come at once', async () => {
    const { copies } = openCopies(2, { perSecond: 1, burst: 60 });
    const quotas = await Promise.all(
      copies.flatMap((take) => Array.from({ length: 100 }, () => take('a'))),
    );
    const granted = quotas.filter(({ retryAfterSeconds }) => retryAfterSeconds === null);
    // What a copy took in advance for requests that came no more.
    expect(granted.length).toBeLessThanOrEqual(60);
    expect(granted.length).toBeGreaterThanOrEqual(54);
  });

  it('ask the store seldom: never for a slow caller, nor while nothing can be left', async () => {
    const { clock, world, allowed } = openCopies(2, { perSecond: 100, burst: 500 });
    for (let second = 0; second < 20; second += 1) {
      expect(await allowed(10)).toBe(10);
      clock.nowMs += 1_000;
    }
    expect(world.statements).toBe(0);
    expect(await allowed(600)).toBe(500);
    expect(world.statements).toBeLessThan(60);
    const { statements } = world;
    expect(await allowed(100)).toBe(0);
    expect(world.statements - statements).toBeLessThanOrEqual(2);
  });
});

describe('without the store', () => {
  it('each copy allows its part', async () => {
    const { clock, world, faults, allowed } = openCopies(2, { perSecond: 10, burst: 60 });
    world.store = notAvailable;
    expect(await allowed(200)).toBe(60);
    expect(faults).toHaveLength(2);
    clock.nowMs += 10_000;
    const added = await allowed(400);
    expect(added).toBeLessThanOrEqual(60);
    expect(added).toBeGreaterThan(56);
  });

  it('no request waits again for a store that was silent', async () => {
    const { clock, world, faults, copies } = openCopies(1, { perSecond: 1, burst: 5 });
    world.store = () => Promise.withResolvers<never>().promise;
    const [take] = copies;
    for (let n = 0; n < 3; n += 1) expect(await take?.('a')).toMatchObject({ remaining: 4 - n });
    expect([world.statements, faults.length]).toEqual([1, 1]);
    world.store = createMemoryStore(() => clock.nowMs);
    clock.nowMs += 2_000;
    expect(await take?.('a')).toMatchObject({ retryAfterSeconds: null });
    expect(world.statements).toBe(2);
  });
});

it('tells what is left and when there is more', async () => {
  const { clock, copies } = openCopies(1, { perSecond: 0.5, burst: 2 });
  const [take] = copies;
  const told = { burst: 2, windowSeconds: 4 };
  const served = { retryAfterSeconds: null, resetSeconds: 2, ...told };
  expect(await take?.('a')).toEqual({ remaining: 1, ...served });
  expect(await take?.('a')).toEqual({ remaining: 0, ...served });
  clock.nowMs += 1_000;
  const refused = { retryAfterSeconds: 1, remaining: 0, resetSeconds: 1, ...told };
  expect(await take?.('a')).toEqual(refused);
});

it('counts down by one, also where the copies keep a share', async () => {
  const { copies } = openCopies(1, { perSecond: 1, burst: 100 });
  const [take] = copies;
  for (let left = 99; left >= 0; left -= 1) {
    expect(await take?.('a')).toMatchObject({ remaining: left, retryAfterSeconds: null });
  }
  expect(await take?.('a')).toMatchObject({ remaining: 0, retryAfterSeconds: 2 });
});

it('is not fooled by a clock that goes back', async () => {
  const { clock, store } = openCopies(1, { perSecond: 1, burst: 1 });
  const limit = createRateLimiter({ name: 'sign-ins', perSecond: 1, burst: 1 }, store);
  expect(await limit('a')).toBeNull();
  clock.nowMs -= 10_000;
  expect(await limit('a')).toBe(1);
});
