/** The gate in front of an endpoint: its pauses, then our own limit. */

import { setTimeout as delay } from 'node:timers/promises';

import { ThrottledError } from '../rpc/throttled-error.ts';
import type { CallPace } from './call-pace.ts';
import type { Pauses } from './pauses.ts';

/** Less than this is not worth waiting for: the call itself would time out. */
const SHORTEST_CALL_MS = 250;

/** The time limit of one call, waits included: on a monotonic clock, and as a signal. */
export type CallLimit = { readonly untilMs: number; readonly signal: AbortSignal };

export type CallGate = Pick<Pauses, 'refused' | 'answered'> & {
  /** Whether a call that begins now may be sent within its time limit, and not sooner elsewhere. */
  isWorthWaiting(method: string, limit: CallLimit): boolean;
  /**
   * Waits until the call may be sent. Throws ThrottledError when that leaves too little of its
   * time, and at once when another endpoint would take it now.
   */
  enter(method: string, limit: CallLimit): Promise<void>;
};

export function createCallGate(options: {
  readonly pauses: Pauses;
  readonly pace: CallPace;
  /** Whether another endpoint would take a call of this method now. */
  readonly isFreeElsewhere: (method: string) => boolean;
  /** A monotonic clock, in milliseconds. */
  readonly nowMs: () => number;
}): CallGate {
  const { pauses, pace, isFreeElsewhere, nowMs } = options;

  function isWorthWaiting(method: string, { untilMs }: CallLimit): boolean {
    const leftMs = pauses.leftMs(method);
    // A process that was stopped meanwhile is past its limit, whichever timer fires first.
    if (leftMs === 0) return nowMs() < untilMs;
    return nowMs() + leftMs + SHORTEST_CALL_MS < untilMs && !isFreeElsewhere(method);
  }

  async function waitOut(method: string, limit: CallLimit): Promise<void> {
    for (;;) {
      const leftMs = pauses.leftMs(method);
      if (!isWorthWaiting(method, limit)) throw paused(leftMs);
      if (leftMs === 0) return;
      await delay(leftMs, undefined, { signal: limit.signal }).catch(() => undefined);
    }
  }

  return {
    refused: (method, error) => pauses.refused(method, error),
    answered: (method) => pauses.answered(method),
    isWorthWaiting,
    async enter(method, limit) {
      await waitOut(method, limit);
      await pace(method, limit.signal);
      // The endpoint may have asked for a pause while the call waited for its turn.
      await waitOut(method, limit);
    },
  };
}

function paused(leftMs: number): ThrottledError {
  const facts = { retryAfterMs: leftMs, isOfMethod: false };
  return new ThrottledError({ by: 'paused', detail: 'the endpoint asked for a pause', ...facts });
}
