import { createRpcEndpointMetrics, createRpcMetrics } from '@agent-wallet/chain';
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';

/** `layer` decided the outcome: `off-chain`, `on-chain`, or `none` without a refusal. */
type SpendOutcome = {
  readonly kind: string;
  readonly outcome: 'confirmed' | 'pending' | 'refused' | 'unpaid';
  readonly layer: 'off-chain' | 'on-chain' | 'none';
};

export type Metrics = {
  readonly registry: Registry;
  readonly spendAnswered: (outcome: SpendOutcome) => void;
  /** A request that was not accepted: the kind of the refusal, or the cause of a fault. */
  readonly notAccepted: (cause: string) => void;
  /** Outcome of a request to a service without proof of payment. */
  readonly probed: (outcome: string) => void;
  /** Outcome of a delivery attempt: a state, or `refused`. */
  readonly delivered: (outcome: string) => void;
  readonly openDeliveries: (counts: Readonly<Record<string, number>>) => void;
  readonly rpcCalled: ReturnType<typeof createRpcMetrics>;
  readonly rpcEndpoint: ReturnType<typeof createRpcEndpointMetrics>;
  readonly httpAnswered: (method: string, route: string, status: number, seconds: number) => void;
};

/** Labels hold route patterns, methods and codes only, never a value that a caller chooses. */
export function createMetrics(): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const spends = new Counter({
    name: 'agent_wallet_spends_answered_total',
    help: 'Spend requests answered, by kind, outcome and deciding layer',
    labelNames: ['kind', 'outcome', 'layer'],
    registers: [registry],
  });
  const notAccepted = new Counter({
    name: 'agent_wallet_acceptances_refused_total',
    help: 'Requests that passed the rules and were not accepted, by cause',
    labelNames: ['cause'],
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
    help: 'Requests sent to services without proof of payment, by outcome',
    labelNames: ['outcome'],
    registers: [registry],
  });
  const deliveries = new Counter({
    name: 'agent_wallet_delivery_tries_total',
    help: 'Requests sent to services with proof of payment, by resulting state',
    labelNames: ['outcome'],
    registers: [registry],
  });
  const openDeliveries = new Gauge({
    name: 'agent_wallet_open_deliveries',
    help: 'Waiting and running deliveries of the whole system, as of the last sweep',
    labelNames: ['state'],
    registers: [registry],
  });
  return {
    registry,
    notAccepted: (cause) => notAccepted.inc({ cause }),
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
