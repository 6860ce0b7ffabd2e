import { describe, expect, it } from 'vitest';
import { addressKey, createRateLimiter, createTokenBuckets } from './rate-limiter.ts';

describe('createRateLimiter', () => {
  it('lets a burst through, then one per interval, for each key apart', () => {
    let nowMs = 0;
    const take = createRateLimiter({ perSecond: 2, burst: 3, nowMs: () => nowMs });
    expect([take('a'), take('a'), take('a')]).toEqual([null, null, null]);
    expect(take('a')).toBe(1);
    expect(take('b')).toBeNull();
    nowMs = 500;
    expect(take('a')).toBeNull();
    expect(take('a')).toBe(1);
    nowMs = 60_000;
    expect([take('a'), take('a'), take('a'), take('a')]).toEqual([null, null, null, 1]);
  });

  it('tells whole seconds until the next token', () => {
    const take = createRateLimiter({ perSecond: 0.1, burst: 1, nowMs: () => 0 });
    expect(take('a')).toBeNull();
    expect(take('a')).toBe(10);
  });

  it('is not fooled by a clock that goes back', () => {
    let nowMs = 10_000;
    const take = createRateLimiter({ perSecond: 1, burst: 1, nowMs: () => nowMs });
    take('a');
    nowMs = 0;
    expect(take('a')).toBe(1);
  });
});

it('tells what is left of a bucket, and when there is more', () => {
  let nowMs = 0;
  const take = createTokenBuckets({ perSecond: 0.5, burst: 2, nowMs: () => nowMs });
  const told = { burst: 2, windowSeconds: 4 };
  expect(take('a')).toEqual({ retryAfterSeconds: null, remaining: 1, resetSeconds: 2, ...told });
  expect(take('a')).toEqual({ retryAfterSeconds: null, remaining: 0, resetSeconds: 2, ...told });
  nowMs = 1_000;
  expect(take('a')).toEqual({ retryAfterSeconds: 1, remaining: 0, resetSeconds: 1, ...told });
});

it.each([
  ['192.0.2.7', '192.0.2.7'],
  ['::ffff:192.0.2.7', '192.0.2.7'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['2001:db8:1:2::9', '2001:db8:1:2::/64'],
  ['2001:db8::1', '2001:db8:0:0::/64'],
  ['::1', '0:0:0:0::/64'],
])('counts %s as %s', (ip, key) => {
  expect(addressKey(ip)).toBe(key);
});
