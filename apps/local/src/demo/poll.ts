import { setTimeout as delay } from 'node:timers/promises';

const INTERVAL_MS = 50;

/** Polls until `look` returns a value. Throws an Error that names `what` after `timeoutMs`. */
export async function poll<T>(
  what: string,
  look: () => Promise<T | null>,
  { timeoutMs, ended }: { readonly timeoutMs: number; readonly ended: AbortSignal },
): Promise<T> {
  const deadlineMs = performance.now() + timeoutMs;
  while (performance.now() < deadlineMs) {
    const seen = await look();
    if (seen !== null) return seen;
    await delay(INTERVAL_MS, undefined, { signal: ended });
  }
  throw new Error(`${what}: not within ${timeoutMs / 1000} s`);
}
