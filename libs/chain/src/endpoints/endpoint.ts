/** One endpoint of a pool: its client behind a breaker and a gate, and its measurements. */

import { createCallGate } from './call-gate.ts';
import { type CallLimits, createCallPace } from './call-pace.ts';
import { createCircuitBreaker, type CircuitBreakerOptions } from './circuit-breaker.ts';
import type { EndpointFacts } from './endpoint-health.ts';
import { createPauses } from './pauses.ts';
import type { Fetch } from '../rpc/json-rpc.ts';
import type { CallOutcome } from '../rpc/rpc-call.ts';
import { createRpc, type Rpc } from '../rpc/rpc.ts';

/** The weight of the newest measurement. */
const SMOOTHING = 0.3;

const nowMs = (): number => performance.now();

/** Called after each call to an endpoint, for metrics. */
export type OnEndpointCall = (
  method: string,
  outcome: CallOutcome,
  seconds: number,
  endpoint: number,
) => void;

export type Endpoint = {
  readonly index: number;
  readonly rpc: Rpc;
  facts(): EndpointFacts;
  /** The newest slot that one of its replies has shown. */
  reached(): bigint;
  /** Whether it takes a call of this method now, or has asked for a pause. */
  takes(method: string): boolean;
  /** Records its genesis hash; an endpoint of another chain is excluded for good. */
  verified(genesisHash: string, ours: string): void;
  /** Records the measurements of a health check. */
  seen(measured: { readonly slot: bigint; readonly latencyMs: number }): void;
};

export function createEndpoint(
  index: number,
  options: {
    readonly url: string;
    readonly timeoutMs: number;
    readonly breaker: CircuitBreakerOptions;
    readonly limits: CallLimits;
    /** Whether another endpoint would take a call of this method now. */
    readonly isFreeElsewhere: (method: string) => boolean;
    /** Called when the breaker changes state and when a pause begins or is over. */
    readonly onState: () => void;
    readonly onCall?: OnEndpointCall;
    readonly fetch?: Fetch;
  },
): Endpoint {
  const { url, timeoutMs, limits, isFreeElsewhere, onState, onCall, fetch } = options;
  const breaker = createCircuitBreaker({ ...options.breaker, onState });
  const pauses = createPauses({ nowMs, random: Math.random, onChange: onState });
  const pace = createCallPace(limits);
  let chain: EndpointFacts['chain'] = 'unverified';
  let slot: bigint | null = null;
  let latencyMs: number | null = null;
  let reached = 0n;
  const noted = <Reply extends { readonly slot: bigint }>(reply: Reply): Reply => {
    if (reply.slot > reached) reached = reply.slot;
    return reply;
  };
  const rpc = createRpc({
    url,
    timeoutMs,
    breaker,
    gate: createCallGate({ pauses, pace, isFreeElsewhere, nowMs }),
    onCall: (method, outcome, seconds) => onCall?.(method, outcome, seconds, index),
    ...(fetch === undefined ? {} : { fetch }),
  });
  return {
    index,
    rpc: {
      ...rpc,
      latestBlockhash: async () => noted(await rpc.latestBlockhash()),
      accounts: async (addresses, query) => noted(await rpc.accounts(addresses, query)),
    },
    reached: () => reached,
    facts: () => ({
      index,
      chain,
      breaker: breaker.state(),
      isThrottled: pauses.areAny(),
      slot,
      latencyMs,
    }),
    takes: (method) => pauses.leftMs(method) === 0,
    verified: (genesisHash, ours) => {
      chain = genesisHash === ours ? 'ours' : 'wrong';
    },
    seen: (measured) => {
      slot = measured.slot;
      latencyMs =
        latencyMs === null
          ? measured.latencyMs
          : latencyMs + SMOOTHING * (measured.latencyMs - latencyMs);
    },
  };
}
