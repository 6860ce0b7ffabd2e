/** A latch: `wait` resolves once `open` was called, and throws after a bound. */
export interface Latch<Value> {
  open(value: Value): void;
  /** Throws an Error that names the latch when it was not opened in time. */
  wait(timeoutMs?: number): Promise<Value>;
}

const WAIT_MS = 30_000;

/** `what` names the awaited event in the error. */
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
