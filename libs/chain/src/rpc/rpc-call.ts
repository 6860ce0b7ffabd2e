/** The parts common to all calls to a node: a timeout, a measurement, one kind of fault. */

import { AppError } from '@agent-wallet/errors';

import type { CircuitBreaker } from '../endpoints/circuit-breaker.ts';
import type { Fetch } from './json-rpc.ts';

/** Called after each call, for metrics. */
export type OnCall = (method: string, outcome: 'ok' | 'error', seconds: number) => void;

/** Runs one call and rethrows any error as RPC_UNAVAILABLE. */
export type RunCall = <T>(method: string, run: () => Promise<T>) => Promise<T>;

/** Limits each request to `timeoutMs`. */
export function timedFetch(fetch: Fetch, timeoutMs: number): Fetch {
  return (input, init) => fetch(input, { ...init, signal: AbortSignal.timeout(timeoutMs) });
}

/** A call rejected by an open breaker fails and is counted like any other. */
export function createRunCall(
  onCall: OnCall | undefined,
  breaker: CircuitBreaker | undefined,
): RunCall {
  return async (method, run) => {
    const startedAtMs = performance.now();
    const told = (outcome: 'ok' | 'error'): void =>
      onCall?.(method, outcome, (performance.now() - startedAtMs) / 1_000);
    try {
      const answer = await (breaker === undefined ? run() : breaker.run(run));
      told('ok');
      return answer;
    } catch (error) {
      told('error');
      throw new AppError('RPC_UNAVAILABLE', { method }, { cause: error });
    }
  };
}

/** The option in the form nodes expect; absent when there is no slot. */
export function minSlotOption(slot: bigint | undefined): { readonly minContextSlot?: number } {
  return slot === undefined ? {} : { minContextSlot: Number(slot) };
}
