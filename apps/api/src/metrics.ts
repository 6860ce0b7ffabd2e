import { createRpcEndpointMetrics, createRpcMetrics } from '@agent-wallet/chain';
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';

/** `layer` is where the outcome was decided: `off-chain`, `on-chain`, or `none` for no refusal. */
type SpendOutcome = {
  readonly kind: string;
  readonly outcome: 'confirmed' | 'pending' | 'refused' | 'unpaid';
  readonly layer: 'off-chain' | 'on-chain' | 'none';
};

export type Metrics = {
  readonly registry: Registry;
  readonly spendAnswered: (outcome: SpendOutcome) => void;
  /** What asking a service without proof came to. */
  readonly probed: (outcome: string) => void;
  /** What a try to deliver came to: a state, or `refused`. */
  readonly delivered: (outcome: string) => void;
  readonly openDeliveries: (counts: Readonly<Record<string, number>>) => void;
  readonly rpcCalled: (method: string, outcome: 'ok' | 'error', seconds: number) => void;
  readonly rpcEndpoint: ReturnType<typeof createRpcEndpointMetrics>;
  readonly httpAnswered: (method: string, route: string, status: number, seconds: number) => void;
};

/** Labels hold route patterns, methods and codes only: nothing that a caller can choose freely. */
export function createMetrics(): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const spends = new Counter({
    name: 'agent_wallet_spends_answered_total',
    help: 'Spend requests answered, by kind, outcome and the layer that decided',
    labelNames: ['kind', 'outcome', 'layer'],
    registers: [registry],
  });
  const httpSeconds = new Histogram({
    name: 'agent_wallet_http_request_seconds',
    help: 'Duration of HTTP requests by method, route pattern and status',
    labelNames: ['method', 'route', 'status'],
    buckets: [0.005, 0.02, 0.1, 0.3, 0.6, 1, 2, 5, 10, 30, 60],
    registers: [registry],
  });
  const probes = new Counter({
    name: 'agent_wallet_probes_total',
    help: 'Services asked without proof of payment, by what came of it',
    labelNames: ['outcome'],
    registers: [registry],
  });
  const deliveries = new Counter({
    name: 'agent_wallet_delivery_tries_total',
    help: 'Requests sent to services with proof of payment, by the state that they led to',
    labelNames: ['outcome'],
    registers: [registry],
  });
  const openDeliveries = new Gauge({
    name: 'agent_wallet_open_deliveries',
    help: 'Deliveries waiting and under way in the whole system, as of the last sweep',
    labelNames: ['state'],
    registers: [registry],
  });
  return {
    registry,
    probed: (outcome) => probes.inc({ outcome }),
    delivered: (outcome) => deliveries.inc({ outcome }),
    openDeliveries: (counts) => {
      for (const [state, count] of Object.entries(counts)) openDeliveries.set({ state }, count);
    },
    spendAnswered: (outcome) => spends.inc(outcome),
    rpcCalled: createRpcMetrics(registry),
    rpcEndpoint: createRpcEndpointMetrics(registry),
    httpAnswered: (method, route, status, seconds) =>
      httpSeconds.observe({ method, route, status }, seconds),
  };
}
