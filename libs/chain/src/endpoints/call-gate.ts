/** The gate in front of an endpoint: its pauses, then our own limit. */

import { setTimeout as delay } from 'node:timers/promises';

import { ThrottledError } from '../rpc/throttled-error.ts';
import type { CallPace } from './call-pace.ts';
import type { Pauses } from './pauses.ts';

/** When the waits of one call must end: on a monotonic clock, and as a signal. */
export type WaitLimit = { readonly untilMs: number; readonly signal: AbortSignal };

export type CallGate = Pick<Pauses, 'refused' | 'answered'> & {
  /** Whether the call may be sent before the limit of its waits, and not sooner elsewhere. */
  isWorthWaiting(method: string, limit: WaitLimit): boolean;
  /**
   * Waits until the call may be sent. Throws ThrottledError when that takes too long, and at once
   * when another endpoint would take the call now.
   */
  enter(method: string, limit: WaitLimit): Promise<void>;
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

  function isWorthWaiting(method: string, { untilMs }: WaitLimit): boolean {
    const leftMs = pauses.leftMs(method);
    // A process that was stopped meanwhile is past its limit, whichever timer fires first.
    if (leftMs === 0) return nowMs() < untilMs;
    return nowMs() + leftMs < untilMs && !isFreeElsewhere(method);
  }

  async function waitOut(method: string, limit: WaitLimit): Promise<void> {
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
