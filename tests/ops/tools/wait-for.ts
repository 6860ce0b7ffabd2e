import { setTimeout as delay } from 'node:timers/promises';

const INTERVAL_MS = 500;
const TIMEOUT_MS = 120_000;

/** Waits until the check returns true; a check that throws is made again. Throws after two minutes. */
export async function waitFor(what: string, check: () => Promise<boolean>): Promise<void> {
  const deadline = Date.now() + TIMEOUT_MS;
  let last: unknown;
  while (Date.now() < deadline) {
    try {
      if (await check()) return;
    } catch (error) {
      last = error;
    }
    await delay(INTERVAL_MS);
  }
  throw new Error(`${what} did not come within ${TIMEOUT_MS / 1_000} s: ${String(last)}`);
}
