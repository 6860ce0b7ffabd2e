/** One endpoint of a pool: its client behind a breaker, and its measurements. */

import { createCircuitBreaker, type CircuitBreakerOptions } from './circuit-breaker.ts';
import type { EndpointFacts } from './endpoint-health.ts';
import type { Fetch } from '../rpc/json-rpc.ts';
import type { OnCall } from '../rpc/rpc-call.ts';
import { createRpc, type Rpc } from '../rpc/rpc.ts';

/** The weight of the newest measurement. */
const SMOOTHING = 0.3;

export type Endpoint = {
  readonly index: number;
  readonly rpc: Rpc;
  facts(): EndpointFacts;
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
    readonly onCall?: OnCall;
    readonly fetch?: Fetch;
  },
): Endpoint {
  const { url, timeoutMs, onCall, fetch } = options;
  const breaker = createCircuitBreaker(options.breaker);
  let chain: EndpointFacts['chain'] = 'unverified';
  let slot: bigint | null = null;
  let latencyMs: number | null = null;
  return {
    index,
    rpc: createRpc({
      url,
      timeoutMs,
      breaker,
      ...(onCall === undefined ? {} : { onCall }),
      ...(fetch === undefined ? {} : { fetch }),
    }),
    facts: () => ({ index, chain, breaker: breaker.state(), slot, latencyMs }),
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
