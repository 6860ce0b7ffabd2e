import { AgentWalletError } from './agent-wallet-error.ts';

/** The end of one call: its time limit, and the caller's signal. */
export type TimeLimit = {
  remainingMs(): number;
  readonly signal: AbortSignal | undefined;
};

export type Clock = {
  readonly nowMs: () => number;
  /** Rejects with the signal's reason when it is aborted. */
  readonly sleep: (ms: number, signal: AbortSignal | undefined) => Promise<void>;
};

/** The clock of the machine. */
export const systemClock: Clock = { nowMs: () => performance.now(), sleep };

/** Longer timers of the platform end at once. */
const LONGEST_MS = 2 ** 31 - 1;

/** Throws `BAD_REQUEST` unless `timeoutMs` is above 0. */
export function startTimeLimit(
  clock: Clock,
  timeoutMs: number,
  signal: AbortSignal | null | undefined,
): TimeLimit {
  if (!(timeoutMs > 0)) {
    throw new AgentWalletError({ code: 'BAD_REQUEST', error: 'timeoutMs must be above 0' });
  }
  const endMs = clock.nowMs() + Math.min(timeoutMs, LONGEST_MS);
  return { remainingMs: () => endMs - clock.nowMs(), signal: signal ?? undefined };
}

/** `node:timers/promises` does not exist in browsers. */
function sleep(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop);
      resolve();
    }, ms);
    function stop(): void {
      clearTimeout(timer);
      reject(signal?.reason);
    }
    signal?.addEventListener('abort', stop, { once: true });
  });
}
