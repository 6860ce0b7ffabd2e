/** The parts common to all calls to a node: a timeout, a measurement, one kind of fault. */

import { AppError } from '@agent-wallet/errors';
import { SolanaJSONRPCError } from '@solana/web3.js';

import type { CallGate } from '../endpoints/call-gate.ts';
import type { CircuitBreaker } from '../endpoints/circuit-breaker.ts';
import { isThrottledCode, refusedBy, ThrottledError } from './throttled-error.ts';

/**
 * `throttled`: the node refused the call because it got too many; `paused`: the call was not sent,
 * to spare a node that had asked for a pause or to keep our own limit.
 */
export type CallOutcome = 'ok' | 'error' | 'throttled' | 'paused';

/** Called after each call, for metrics. */
export type OnCall = (method: string, outcome: CallOutcome, seconds: number) => void;

/** Runs one call and rethrows any error as RPC_UNAVAILABLE. */
export type RunCall = <T>(method: string, run: () => Promise<T>) => Promise<T>;

type RunCallOptions = {
  readonly onCall: OnCall | undefined;
  readonly breaker: CircuitBreaker | undefined;
  readonly gate: CallGate | undefined;
};

/** A call rejected by an open breaker fails and is counted like any other. */
export function createRunCall({ onCall, breaker, gate }: RunCallOptions): RunCall {
  return async (method, run) => {
    const startedAtMs = performance.now();
    const count = (outcome: CallOutcome): void =>
      onCall?.(method, outcome, (performance.now() - startedAtMs) / 1_000);
    try {
      const answer = await (breaker === undefined ? run() : breaker.run(run));
      gate?.answered(method);
      count('ok');
      return answer;
    } catch (error) {
      const throttled = throttleInBody(error);
      if (throttled !== null) gate?.refused(method, throttled);
      const cause = throttled ?? error;
      count(outcomeOf(cause));
      throw new AppError('RPC_UNAVAILABLE', { method, ...reasonOf(cause) }, { cause });
    }
  };
}

/** Some providers refuse with status 200 and a code in the body. */
function throttleInBody(error: unknown): ThrottledError | null {
  const isThrottle = error instanceof SolanaJSONRPCError && isThrottledCode(error.code);
  return isThrottle ? refusedBy(error.message, null) : null;
}

function outcomeOf(cause: unknown): CallOutcome {
  if (!(cause instanceof ThrottledError)) return 'error';
  return cause.by === 'refused' ? 'throttled' : 'paused';
}

function reasonOf(cause: unknown): { readonly reason?: string; readonly retryAfterMs?: number } {
  if (!(cause instanceof ThrottledError)) return {};
  const { message, retryAfterMs } = cause;
  return { reason: message, ...(retryAfterMs === null ? {} : { retryAfterMs }) };
}

/** The option in the form nodes expect; absent when there is no slot. */
export function minSlotOption(slot: bigint | undefined): { readonly minContextSlot?: number } {
  return slot === undefined ? {} : { minContextSlot: Number(slot) };
}
