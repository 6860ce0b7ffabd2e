import { useState } from 'preact/hooks';

/** A call that a button starts: whether it runs, and why the last one failed. */
export function useAction(): {
  readonly isBusy: boolean;
  /** Undefined while the last call has not failed. */
  readonly error: unknown;
  readonly start: (call: () => Promise<void>) => Promise<void>;
} {
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>(undefined);
  const start = async (call: () => Promise<void>) => {
    setBusy(true);
    setError(undefined);
    try {
      await call();
    } catch (reason) {
      setError(reason);
    } finally {
      setBusy(false);
    }
  };
  return { isBusy, error, start };
}
