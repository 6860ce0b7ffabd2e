import { describe, expect, test } from 'vitest';
import { createLatch } from '../../../tests/support/latch.ts';
import { startLoop } from './loop.ts';

const NEVER_MS = 3_600_000;
const QUICK_BACKOFF = { firstMs: 1, mostMs: 4 };

function throwUnexpected(error: unknown): never {
  throw error;
}

/** Starts a loop whose passes the test ends one by one. */
function startGatedLoop() {
  let passes = 0;
  let running = 0;
  let most = 0;
  const starts = new Map<number, PromiseWithResolvers<void>>();
  const startOf = (pass: number): PromiseWithResolvers<void> => {
    const known = starts.get(pass) ?? Promise.withResolvers<void>();
    starts.set(pass, known);
    return known;
  };
  let current = Promise.withResolvers<number>();
  const run = async (): Promise<number> => {
    running += 1;
    most = Math.max(most, running);
    passes += 1;
    current = Promise.withResolvers<number>();
    startOf(passes).resolve();
    const delayMs = await current.promise;
    running -= 1;
    return delayMs;
  };
  return {
    ...startLoop({ run, onError: throwUnexpected }),
    started: (pass: number): Promise<void> => startOf(pass).promise,
    release: (delayMs: number): void => current.resolve(delayMs),
    passes: (): number => passes,
    most: (): number => most,
  };
}

describe('a loop', () => {
  test('runs its first pass at once and the next when it is due', async () => {
    const loop = startGatedLoop();
    await loop.started(1);
    loop.release(1);
    await loop.started(2);
    loop.release(NEVER_MS);
    await loop.close();
    expect(loop.passes()).toBe(2);
  });

  test('never runs two passes at once, even when it is woken often', async () => {
    const loop = startGatedLoop();
    for (let pass = 1; pass <= 20; pass += 1) {
      await loop.started(pass);
      for (let wakes = 0; wakes < 5; wakes += 1) loop.wake();
      loop.release(NEVER_MS);
    }
    await loop.started(21);
    loop.release(NEVER_MS);
    await loop.close();
    expect(loop.most()).toBe(1);
  });

  test('woken during its delay runs the next pass now', async () => {
    const loop = startGatedLoop();
    await loop.started(1);
    loop.release(NEVER_MS);
    // Two turns of the event loop: the pass has ended and the wait has begun.
    await new Promise(setImmediate);
    await new Promise(setImmediate);
    loop.wake();
    await loop.started(2);
    loop.release(NEVER_MS);
    await loop.close();
    expect(loop.passes()).toBe(2);
  });

  test('woken during a pass runs exactly one more', async () => {
    const loop = startGatedLoop();
    await loop.started(1);
    loop.wake();
    loop.wake();
    loop.release(NEVER_MS);
    await loop.started(2);
    loop.release(NEVER_MS);
    await new Promise(setImmediate);
    await new Promise(setImmediate);
    await loop.close();
    expect(loop.passes()).toBe(2);
  });

  test('waits for the running pass when it is closed', async () => {
    const loop = startGatedLoop();
    await loop.started(1);
    const order: string[] = [];
    const closing = loop.close().then(() => order.push('closed'));
    await new Promise(setImmediate);
    order.push('pass ends');
    loop.release(0);
    await closing;
    expect(order).toEqual(['pass ends', 'closed']);
  });

  test('waits for the running pass even if that pass fails', async () => {
    const pass = Promise.withResolvers<number>();
    const started = createLatch('the pass');
    const errors: unknown[] = [];
    const loop = startLoop({
      run: () => {
        started.open();
        return pass.promise;
      },
      onError: (error) => errors.push(error),
    });
    await started.wait();
    const closing = loop.close();
    pass.reject(new Error('too late'));
    await closing;
    expect(errors.length).toBeLessThan(2);
  });
});

describe('a failed pass', () => {
  test('is reported with its own error and retried, and the loop goes on', async () => {
    const errors: unknown[] = [];
    const done = createLatch('a pass that succeeds');
    const faults = [new Error('first'), new TypeError('second'), 'third'];
    const loop = startLoop({
      run: async () => {
        const fault = faults.shift();
        if (fault !== undefined) throw fault;
        done.open();
        return NEVER_MS;
      },
      onError: (error) => errors.push(error),
      backoff: QUICK_BACKOFF,
    });
    await done.wait();
    await loop.close();
    expect(errors).toEqual([new Error('first'), new TypeError('second'), 'third']);
  });

  test('does not keep the loop from closing during the delay before a retry', async () => {
    const failed = createLatch('a failed pass');
    let passes = 0;
    const loop = startLoop({
      run: async () => {
        passes += 1;
        throw new Error('always');
      },
      onError: () => failed.open(),
      backoff: { firstMs: NEVER_MS, mostMs: NEVER_MS },
    });
    await failed.wait();
    await loop.close();
    expect(passes).toBe(1);
  });
});
