import pRetry from 'p-retry';

export type Loop = {
  /** Runs the next pass now instead of at its time. */
  readonly wake: () => void;
  /** Starts no further pass and waits for the running one. */
  readonly close: () => Promise<void>;
};

type LoopOptions = {
  /** One pass; answers in how many milliseconds the next one is due. */
  readonly run: () => Promise<number>;
  /** Told of each pass that threw. It is tried again after 1, 2, 4, 8 … 30 s, with jitter. */
  readonly onError: (error: unknown) => void;
  readonly backoff?: { readonly firstMs: number; readonly mostMs: number };
};

const BACKOFF = { firstMs: 1_000, mostMs: 30_000 };

/** Runs passes one after the other, never two at once, until closed. */
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

  // The library takes a bare TypeError for a mistake that no retry mends; a loop must outlive it.
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
      // Rejects only when the loop is closed during the wait before a retry.
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
