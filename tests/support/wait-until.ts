import { setTimeout as delay } from 'node:timers/promises';

/** Far above what a quiet machine needs: a busy one is ten times slower. */
const TIMEOUT_MS = 30_000;
const INTERVAL_MS = 20;

/**
 * Polls until the result is neither undefined, null nor false, and returns it. For conditions that
 * can only be polled: a row of another process, a chain, a port. Use a latch where there is an
 * event. Throws an Error that names `what` after `timeoutMs`; errors of `check` are rethrown at
 * once.
 */
export async function waitUntil<Value>(
  what: string,
  check: () => Value | Promise<Value>,
  { timeoutMs = TIMEOUT_MS, intervalMs = INTERVAL_MS } = {},
): Promise<Exclude<Value, undefined | null | false>> {
  const deadline = performance.now() + timeoutMs;
  for (;;) {
    const value = await check();
    if (isThere(value)) return value;
    if (performance.now() >= deadline) {
      throw new Error(`Waited ${timeoutMs} ms in vain for: ${what}`);
    }
    await delay(intervalMs);
  }
}

function isThere<Value>(value: Value): value is Exclude<Value, undefined | null | false> {
  return value !== undefined && value !== null && value !== false;
}
