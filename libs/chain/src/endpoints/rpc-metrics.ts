import { Counter, Histogram, type Registry } from 'prom-client';

/** Creates the metrics of RPC calls. The returned function records one call. */
export function createRpcMetrics(
  registry: Registry,
): (method: string, outcome: 'ok' | 'error', seconds: number) => void {
  const calls = new Counter({
    name: 'agent_wallet_rpc_calls_total',
    help: 'Calls of the chain RPC by method and outcome',
    labelNames: ['method', 'outcome'],
    registers: [registry],
  });
  const duration = new Histogram({
    name: 'agent_wallet_rpc_call_seconds',
    help: 'Duration of chain RPC calls by method',
    labelNames: ['method'],
    buckets: [0.005, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 2, 5, 10],
    registers: [registry],
  });
  return (method, outcome, seconds) => {
    calls.inc({ method, outcome });
    duration.observe({ method }, seconds);
  };
}
