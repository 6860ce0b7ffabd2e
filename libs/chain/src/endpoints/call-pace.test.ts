import { afterEach, beforeEach, expect, it, vi } from 'vitest';

import { ThrottledError } from '../rpc/throttled-error.ts';
import { type CallLimits, createCallPace } from './call-pace.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** Begins calls and lists the methods whose turn has come. */
function paced(limits: Partial<CallLimits>) {
  const pace = createCallPace({ callsPerS: undefined, callsPerMethodPerS: undefined, ...limits });
  const begun: string[] = [];
  const call = async (method: string, signal = new AbortController().signal): Promise<void> => {
    await pace(method, signal);
    begun.push(method);
  };
  return { begun, call };
}

it('sends go first, then what somebody waits for, then what is polled', async () => {
  const { begun, call } = paced({ callsPerS: 1 });
  const methods = ['getSlot', 'getSlot', 'getMultipleAccounts', 'sendTransaction'];
  const calls = methods.map((method) => call(method));
  await vi.advanceTimersByTimeAsync(3_000);
  await Promise.all(calls);
  expect(begun).toEqual(['getSlot', 'sendTransaction', 'getMultipleAccounts', 'getSlot']);
});

it('a method at its own limit does not hold up the others', async () => {
  const { begun, call } = paced({ callsPerMethodPerS: 1 });
  const calls = ['getSlot', 'getSlot', 'getTransaction'].map((method) => call(method));
  await vi.advanceTimersByTimeAsync(0);
  expect(begun).toEqual(['getSlot', 'getTransaction']);
  await vi.advanceTimersByTimeAsync(1_000);
  await Promise.all(calls);
});

it('no call waits longer than its own time, and it leaves its place to the next', async () => {
  const { begun, call } = paced({ callsPerS: 1 });
  await call('getSlot');
  const limit = new AbortController();
  const late = call('getSlot', limit.signal);
  const next = call('getTransaction');
  limit.abort();
  await expect(late).rejects.toBeInstanceOf(ThrottledError);
  await vi.advanceTimersByTimeAsync(1_000);
  await next;
  expect(begun).toEqual(['getSlot', 'getTransaction']);
});

it('only so many calls wait, and a send may wait beside them', async () => {
  const { begun, call } = paced({ callsPerS: 1 });
  const limit = new AbortController();
  const calls = Array.from({ length: 514 }, () => call('getSlot', limit.signal));
  await expect(calls.at(-1)).rejects.toThrow('too many calls wait');
  const send = call('sendTransaction');
  await vi.advanceTimersByTimeAsync(1_000);
  await send;
  expect(begun).toEqual(['getSlot', 'sendTransaction']);
  limit.abort();
  await Promise.allSettled(calls);
});
