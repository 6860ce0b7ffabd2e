/**
 * The circuit breaker of one endpoint. After several transport faults in a row it rejects calls for
 * a pause, then lets one call through; the pause grows while calls keep failing.
 *
 * Built on cockatiel, whose breaker counts consecutive faults, has a growing jittered pause, keeps
 * no timer and has no dependencies.
 */

import {
  BrokenCircuitError,
  circuitBreaker,
  CircuitState,
  ConsecutiveBreaker,
  ExponentialBackoff,
  handleWhen,
} from 'cockatiel';

import { isTransportFault, isUnsent } from './endpoint-faults.ts';

export type BreakerState = 'closed' | 'half_open' | 'open';

export type CircuitBreaker = {
  state(): BreakerState;
  /** Runs the call, or throws without running it while the breaker is open. */
  run<T>(call: () => Promise<T>): Promise<T>;
};

export type CircuitBreakerOptions = {
  readonly faultsToOpen: number;
  readonly firstPauseMs: number;
  readonly mostPauseMs: number;
  readonly onState?: () => void;
};

/**
 * A JSON-RPC error is a reply: the breaker counts such a call as a success. It ignores a call that
 * was not sent.
 */
type Outcome<T> = { readonly answer: T } | { readonly nodeError: unknown };

const NAMES = {
  [CircuitState.Closed]: 'closed',
  [CircuitState.HalfOpen]: 'half_open',
  [CircuitState.Open]: 'open',
  [CircuitState.Isolated]: 'open',
} as const satisfies Record<CircuitState, BreakerState>;

export function createCircuitBreaker(options: CircuitBreakerOptions): CircuitBreaker {
  const { faultsToOpen, firstPauseMs, mostPauseMs, onState } = options;
  const policy = circuitBreaker(handleWhen(isTransportFault), {
    breaker: new ConsecutiveBreaker(faultsToOpen),
    halfOpenAfter: new ExponentialBackoff({ initialDelay: firstPauseMs, maxDelay: mostPauseMs }),
  });
  policy.onStateChange(() => onState?.());
  return {
    state: () => NAMES[policy.state],
    async run<T>(call: () => Promise<T>): Promise<T> {
      // The library would make other calls wait for the one let through, past their own time limit.
      if (policy.state === CircuitState.HalfOpen) throw new BrokenCircuitError();
      const outcome = await policy.execute(async (): Promise<Outcome<T>> => {
        try {
          return { answer: await call() };
        } catch (error) {
          if (isTransportFault(error) || isUnsent(error)) throw error;
          return { nodeError: error };
        }
      });
      if ('nodeError' in outcome) throw outcome.nodeError;
      return outcome.answer;
    },
  };
}
