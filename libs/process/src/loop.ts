import pRetry from 'p-retry';

export type Loop = {
  /** Runs the next pass now. */
  readonly wake: () => void;
  /** Stops the loop after the running pass. */
  readonly close: () => Promise<void>;
};

type LoopOptions = {
  /** One pass. Returns the delay in milliseconds until the next one. */
  readonly run: () => Promise<number>;
  /** Called with the error of a pass, which is retried after 1, 2, 4, 8 … 30 s with jitter. */
  readonly onError: (error: unknown) => void;
  readonly backoff?: { readonly firstMs: number; readonly mostMs: number };
};

const BACKOFF = { firstMs: 1_000, mostMs: 30_000 };

/** Runs passes one after the other until it is closed, never two at once. */
export function startLoop({ run, onError, backoff = BACKOFF }: LoopOptions): Loop {
  const stopping = new AbortController();
  let woken = false;
  let interrupt: (() => void) | null = null;

  const pause = (delayMs: number): Promise<void> =>
    new Promise((resolve) => {
      const timer = setTimeout(resolve, delayMs);
      interrupt = () => {
        clearTimeout(timer);
        resolve();
      };
    });

  // p-retry does not retry a bare TypeError, and a loop must outlive one.
  const pass = (): Promise<number> =>
    run().catch((cause: unknown) => {
      throw new Error('pass failed', { cause });
    });
  const passUntilDone = (): Promise<number> =>
    pRetry(pass, {
      retries: Number.POSITIVE_INFINITY,
      minTimeout: backoff.firstMs,
      maxTimeout: backoff.mostMs,
      factor: 2,
      randomize: true,
      signal: stopping.signal,
      onFailedAttempt: ({ error }) => onError(error.cause),
    });

  const ended = (async () => {
    while (!stopping.signal.aborted) {
      woken = false;
      // Rejects only when the loop is closed during the delay before a retry.
      const delayMs = await passUntilDone().catch(() => 0);
      if (!stopping.signal.aborted && !woken) await pause(delayMs);
      interrupt = null;
    }
  })();

  return {
    wake: () => {
      woken = true;
      interrupt?.();
    },
    close: async () => {
      stopping.abort();
      interrupt?.();
      await ended;
    },
  };
}
