import { Gauge, type Registry } from 'prom-client';
import { ENDPOINT_STATES, type EndpointHealth } from './endpoint-health.ts';

/**
 * Creates the gauges of the RPC endpoints. The returned function records the health of one. An
 * endpoint is named by its place in RPC_URL, because its URL may hold a key.
 */
export function createRpcEndpointMetrics(registry: Registry): (health: EndpointHealth) => void {
  const registers = [registry];
  const states = new Gauge({
    name: 'agent_wallet_rpc_endpoint_state',
    help: '1 for the current state of an RPC endpoint, 0 for the others',
    labelNames: ['endpoint', 'state'],
    registers,
  });
  const lag = new Gauge({
    name: 'agent_wallet_rpc_endpoint_lag_slots',
    help: 'Slots by which an RPC endpoint was behind the newest one at the last check',
    labelNames: ['endpoint'],
    registers,
  });
  const latency = new Gauge({
    name: 'agent_wallet_rpc_endpoint_latency_seconds',
    help: 'Smoothed duration of the check of an RPC endpoint',
    labelNames: ['endpoint'],
    registers,
  });
  return ({ index, state, lagSlots, latencyMs }) => {
    const endpoint = String(index);
    for (const one of ENDPOINT_STATES) states.set({ endpoint, state: one }, one === state ? 1 : 0);
    lag.set({ endpoint }, Number(lagSlots));
    if (latencyMs !== null) latency.set({ endpoint }, latencyMs / 1_000);
  };
}
