/** A latch: `wait` resolves once `open` was called, and throws after a bound. */
export interface Latch<Value> {
  open(value: Value): void;
  /** @throws Error naming the latch when nobody opened it in time. */
  wait(timeoutMs?: number): Promise<Value>;
}

const WAIT_MS = 10_000;

/** @param what said in the error: what was awaited */
export function createLatch<Value = void>(what: string): Latch<Value> {
  const opened = Promise.withResolvers<Value>();
  return {
    open: opened.resolve,
    wait: async (timeoutMs = WAIT_MS) => {
      const late = Promise.withResolvers<never>();
      const timer = setTimeout(() => {
        late.reject(new Error(`Waited ${timeoutMs} ms in vain for: ${what}`));
      }, timeoutMs);
      try {
        return await Promise.race([opened.promise, late.promise]);
      } finally {
        clearTimeout(timer);
      }
    },
  };
}
