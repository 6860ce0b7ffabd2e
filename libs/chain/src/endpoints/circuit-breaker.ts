/**
 * The breaker of one endpoint: after some transport faults in a row nothing is asked for a while,
 * then one call tries, and the pause grows as long as it fails.
 *
 * cockatiel, because its breaker counts faults in a row, takes a growing jittered pause, keeps no
 * timer of its own and brings no further packages.
 */

import {
  BrokenCircuitError,
  circuitBreaker,
  CircuitState,
  ConsecutiveBreaker,
  ExponentialBackoff,
  handleAll,
} from 'cockatiel';

import { isTransportFault } from './endpoint-faults.ts';

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

/** An error of the node is an answer: for the breaker such a call went well. */
type Outcome<T> = { readonly answer: T } | { readonly nodeError: unknown };

const NAMES = {
  [CircuitState.Closed]: 'closed',
  [CircuitState.HalfOpen]: 'half_open',
  [CircuitState.Open]: 'open',
  [CircuitState.Isolated]: 'open',
} as const satisfies Record<CircuitState, BreakerState>;

export function createCircuitBreaker(options: CircuitBreakerOptions): CircuitBreaker {
  const { faultsToOpen, firstPauseMs, mostPauseMs, onState } = options;
  const policy = circuitBreaker(handleAll, {
    breaker: new ConsecutiveBreaker(faultsToOpen),
    halfOpenAfter: new ExponentialBackoff({ initialDelay: firstPauseMs, maxDelay: mostPauseMs }),
  });
  policy.onStateChange(() => onState?.());
  return {
    state: () => NAMES[policy.state],
    async run<T>(call: () => Promise<T>): Promise<T> {
      // The library would let the others wait for the one that tries, past their own time limit.
      if (policy.state === CircuitState.HalfOpen) throw new BrokenCircuitError();
      const outcome = await policy.execute(async (): Promise<Outcome<T>> => {
        try {
          return { answer: await call() };
        } catch (error) {
          if (isTransportFault(error)) throw error;
          return { nodeError: error };
        }
      });
      if ('nodeError' in outcome) throw outcome.nodeError;
      return outcome.answer;
    },
  };
}
