export type Loop = {
  /** Runs the next pass now instead of at its time. */
  readonly wake: () => void;
  /** Starts no further pass and waits for the running one. */
  readonly close: () => Promise<void>;
};

type LoopOptions = {
  /** One pass; answers in how many milliseconds the next one is due. */
  readonly run: () => Promise<number>;
  /** A pass that threw: report it; the next pass comes after `delayMs`. */
  readonly onError: (error: unknown) => void;
  /** Delay after the n-th failure in a row, counted from 1. */
  readonly errorDelayMs: (failures: number) => number;
};

/** Runs passes one after the other, never two at once, until closed. */
export function startLoop({ run, onError, errorDelayMs }: LoopOptions): Loop {
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

  const pass = async (failures: number): Promise<{ delayMs: number; failures: number }> => {
    try {
      return { delayMs: await run(), failures: 0 };
    } catch (error) {
      onError(error);
      return { delayMs: errorDelayMs(failures + 1), failures: failures + 1 };
    }
  };

  const ended = (async () => {
    let failures = 0;
    while (!stopping.signal.aborted) {
      woken = false;
      const next = await pass(failures);
      failures = next.failures;
      if (!stopping.signal.aborted && !(woken && failures === 0)) await pause(next.delayMs);
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
