/**
 * The lane's lease as this process may rely on it: measured on a monotonic clock, from before the
 * lease was requested, with a margin for the send itself.
 */
export type LeaseClock = {
  /** True while a send started now ends inside the lease. */
  readonly maySend: () => boolean;
  /** True once the run has used its time and should release the lane. */
  readonly isSpent: () => boolean;
};

type LeaseTimes = {
  readonly leaseMs: number;
  readonly runMs: number;
  /** Upper bound of one send. */
  readonly sendMs: number;
};

/** Starts the clock; call it before the lease is taken. */
export function startLeaseClock({ leaseMs, runMs, sendMs }: LeaseTimes): LeaseClock {
  const startedMs = performance.now();
  const elapsedMs = (): number => performance.now() - startedMs;
  return {
    maySend: () => elapsedMs() + sendMs < leaseMs,
    isSpent: () => elapsedMs() >= runMs,
  };
}
