import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { endsWithin } from './ends-within.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

test('work that ends in time leaves no timer behind', async () => {
  expect(await endsWithin(Promise.resolve('any'), 1_000)).toBe(true);
  await expect(endsWithin(Promise.reject(new Error('failed')), 1_000)).rejects.toThrow('failed');
  expect(vi.getTimerCount()).toBe(0);
});

test('work that is late is not waited for, and may still fail', async () => {
  const work = Promise.withResolvers<void>();
  const inTime = endsWithin(work.promise, 1_000);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(await inTime).toBe(false);
  work.reject(new Error('late'));
});
