import { Counter, Histogram, type Registry } from 'prom-client';

import type { OnEndpointCall } from './endpoint.ts';

/** Creates the metrics of RPC calls. The returned function records one call. */
export function createRpcMetrics(registry: Registry): OnEndpointCall {
  const calls = new Counter({
    name: 'agent_wallet_rpc_calls_total',
    help: 'Calls of the chain RPC by method, outcome and endpoint',
    labelNames: ['method', 'outcome', 'endpoint'],
    registers: [registry],
  });
  const duration = new Histogram({
    name: 'agent_wallet_rpc_call_seconds',
    help: 'Duration of chain RPC calls by method',
    labelNames: ['method'],
    buckets: [0.005, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 2, 5, 10],
    registers: [registry],
  });
  return (method, outcome, seconds, endpoint) => {
    calls.inc({ method, outcome, endpoint: String(endpoint) });
    if (outcome !== 'paused') duration.observe({ method }, seconds);
  };
}
