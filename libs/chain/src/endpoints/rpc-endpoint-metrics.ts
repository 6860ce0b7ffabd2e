import { Gauge, type Registry } from 'prom-client';

const STATES = ['ok', 'lagging', 'half_open', 'open', 'unverified', 'wrong_chain'] as const;

type Health = {
  readonly index: number;
  readonly state: (typeof STATES)[number];
  readonly lagSlots: bigint;
  readonly latencyMs: number | null;
};

/**
 * Shows the state of each RPC endpoint; the returned function is told of each change. An endpoint
 * is named by its place in RPC_URL, because its URL may hold a key.
 */
export function createRpcEndpointMetrics(registry: Registry): (health: Health) => void {
  const registers = [registry];
  const states = new Gauge({
    name: 'agent_wallet_rpc_endpoint_state',
    help: '1 for the state that an RPC endpoint is in, 0 for the others',
    labelNames: ['endpoint', 'state'],
    registers,
  });
  const lag = new Gauge({
    name: 'agent_wallet_rpc_endpoint_lag_slots',
    help: 'Slots that an RPC endpoint was behind the newest one at the last check',
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
    for (const one of STATES) states.set({ endpoint, state: one }, one === state ? 1 : 0);
    lag.set({ endpoint }, Number(lagSlots));
    if (latencyMs !== null) latency.set({ endpoint }, latencyMs / 1_000);
  };
}
