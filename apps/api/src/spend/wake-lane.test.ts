import { expect, test, vi } from 'vitest';
import { createWakeLane } from './wake-lane.ts';

const endOfTick = (): Promise<void> =>
  new Promise((resolve) => setImmediate(() => setImmediate(resolve)));

test('a request does not wait for the queue, and wake-ups during a nudge become one nudge after it', async () => {
  const nudged: string[] = [];
  const under = Promise.withResolvers<void>();
  const wake = createWakeLane(async (sessionId) => {
    nudged.push(sessionId);
    await under.promise;
  }, vi.fn<(error: unknown) => void>());
  await wake('a');
  await endOfTick();
  for (const sessionId of ['a', 'b', 'a']) await wake(sessionId);
  await endOfTick();
  expect(nudged).toEqual(['a', 'b']);
  under.resolve();
  await endOfTick();
  expect(nudged).toEqual(['a', 'b', 'a']);
});

test('a queue that is away fails no request', async () => {
  const fault = new Error('away');
  const onFault = vi.fn<(error: unknown) => void>();
  await createWakeLane(() => Promise.reject(fault), onFault)('a');
  await endOfTick();
  expect(onFault).toHaveBeenCalledWith(fault);
});
