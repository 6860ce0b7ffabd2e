import { Counter, Histogram, type Registry } from 'prom-client';

import type { CallOutcome } from '../rpc/rpc-call.ts';
import type { OnEndpointCall } from './endpoint.ts';

/**
 * Calls time out after 4 s in the tx-worker and after 5 s elsewhere: between the last two bounds are
 * the former, above them the latter.
 */
const DURATION_BUCKETS_S = [0.005, 0.025, 0.1, 0.3, 1, 2, 3, 3.9, 4.9];

const OUTCOMES: readonly CallOutcome[] = ['ok', 'error', 'throttled', 'paused'];

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
    buckets: DURATION_BUCKETS_S,
    registers: [registry],
  });
  const known = new Set<string>();
  return (method, outcome, seconds, endpointNo) => {
    const endpoint = String(endpointNo);
    // With its first call a method shows every outcome, at 0, so that the first error is an increase.
    if (!known.has(`${method} ${endpoint}`)) {
      known.add(`${method} ${endpoint}`);
      for (const each of OUTCOMES) calls.inc({ method, outcome: each, endpoint }, 0);
    }
    calls.inc({ method, outcome, endpoint });
    if (outcome !== 'paused') duration.observe({ method }, seconds);
  };
}
