import {
  createRpcEndpointMetrics,
  createRpcMetrics,
  PROGRAM_ERROR_NAMES,
} from '@agent-wallet/chain';
import { ERROR_ROWS, type RefusalBody } from '@agent-wallet/contract';
import { createLabelledCounter, createProcessRegistry } from '@agent-wallet/process';
import { SPEND_KINDS, type SpendKind } from '@agent-wallet/spend';
import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import packageJson from '../package.json' with { type: 'json' };

/** `layer` decided the outcome: `off-chain`, `on-chain`, or `none` without a refusal. */
type SpendOutcome = {
  readonly kind: SpendKind;
  readonly outcome: 'confirmed' | 'pending' | 'refused' | 'unpaid';
  readonly layer: 'off-chain' | 'on-chain' | 'none';
};

const SPEND_OUTCOMES: readonly Omit<SpendOutcome, 'kind'>[] = [
  { outcome: 'confirmed', layer: 'none' },
  { outcome: 'pending', layer: 'none' },
  { outcome: 'refused', layer: 'off-chain' },
  { outcome: 'refused', layer: 'on-chain' },
];
const PROBE_OUTCOMES = [
  'quoted',
  'passed_through',
  'probe_failed',
  'mismatch',
  'unsupported',
] as const;
const DELIVERY_OUTCOMES = ['waiting', 'delivered', 'paid_not_delivered', 'refused'] as const;
/** Faults of an acceptance, and the refusals that operators look for. */
const NOT_ACCEPTED = [
  'lock_timeout',
  'statement_timeout',
  'rolled_back',
  'connection_lost',
  'rpc_unavailable',
  'other',
  'insufficient',
  'too_many_pending',
  'over_budget',
  'intake_closed',
  'no_keystore',
] as const;
/** Names of errors that are no row of the table, such as those of a token program. */
const OTHER_CODE = 'other';
const CODES = [...Object.keys(ERROR_ROWS), ...PROGRAM_ERROR_NAMES, OTHER_CODE];

/** Most reads end within 25 ms; a request may wait for 60 s. */
const HTTP_BUCKETS_S = [0.025, 0.1, 0.5, 1, 2.5, 10, 30];
/** Spends take 0.3 to 1 s on the local chain and seconds on a cluster. The default wait is 30 s. */
const SPEND_BUCKETS_S = [0.2, 0.3, 0.4, 0.5, 0.6, 0.8, 1, 1.5, 2, 3, 5, 8, 15, 30];

export type Metrics = {
  readonly registry: Registry;
  readonly spendAnswered: (outcome: SpendOutcome, seconds: number) => void;
  /** A request that was not accepted: the kind of the refusal, or the cause of a fault. */
  readonly notAccepted: (cause: string) => void;
  /** Outcome of a request to a service without proof of payment. */
  readonly probed: (outcome: (typeof PROBE_OUTCOMES)[number]) => void;
  /** Outcome of a delivery attempt: a state, or `refused`. */
  readonly delivered: (outcome: (typeof DELIVERY_OUTCOMES)[number]) => void;
  readonly openDeliveries: (counts: Readonly<Record<string, number>>) => void;
  /** The rate limits' store failed: this copy limits by its part. */
  readonly limitedAlone: () => void;
  readonly rpcCalled: ReturnType<typeof createRpcMetrics>;
  readonly rpcEndpoint: ReturnType<typeof createRpcEndpointMetrics>;
  readonly http: HttpMetrics;
};

export type HttpMetrics = {
  /** Returns the function to call when the response has ended. */
  readonly began: () => () => void;
  /** `route` is its pattern; null for a request that no route takes. */
  readonly answered: (answer: {
    readonly method: string;
    readonly route: string | null;
    readonly status: number;
    readonly seconds: number;
  }) => void;
  readonly refused: (code: RefusalBody['code']) => void;
};

/** Labels hold route patterns, methods and codes only, never a value that a caller chooses. */
export function createMetrics(): Metrics {
  const registry = createProcessRegistry({ process: 'api', version: packageJson.version });
  const limitFaults = new Counter({
    name: 'agent_wallet_rate_limit_faults_total',
    help: 'Times that the rate limits were not shared for two seconds, because their store failed',
    registers: [registry],
  });
  return {
    registry,
    limitedAlone: () => limitFaults.inc(),
    ...createSpendMetrics(registry),
    ...createServiceMetrics(registry),
    rpcCalled: createRpcMetrics(registry),
    rpcEndpoint: createRpcEndpointMetrics(registry),
    http: createHttpMetrics(registry),
  };
}

function createSpendMetrics(registry: Registry): Pick<Metrics, 'spendAnswered' | 'notAccepted'> {
  const registers = [registry];
  const spends = new Counter({
    name: 'agent_wallet_spends_answered_total',
    help: 'Spend requests answered, by kind, outcome and deciding layer',
    labelNames: ['kind', 'outcome', 'layer'],
    registers,
  });
  for (const kind of SPEND_KINDS) {
    for (const outcome of SPEND_OUTCOMES) spends.inc({ kind, ...outcome }, 0);
  }
  spends.inc({ kind: 'pay_service', outcome: 'unpaid', layer: 'none' }, 0);
  const spendSeconds = new Histogram({
    name: 'agent_wallet_spend_answer_seconds',
    help: 'Time from the request of a spend to its answer, of confirmed spends, by kind',
    labelNames: ['kind'],
    buckets: SPEND_BUCKETS_S,
    registers,
  });
  const notAccepted = createLabelledCounter<'cause', string>(registry, {
    name: 'agent_wallet_acceptances_refused_total',
    help: 'Requests that passed the rules and were not accepted, by cause',
    label: 'cause',
    values: NOT_ACCEPTED,
  });
  return {
    notAccepted: (cause) => notAccepted.inc({ cause }),
    spendAnswered: (answer, seconds) => {
      spends.inc(answer);
      const { kind, outcome } = answer;
      if (outcome === 'confirmed') spendSeconds.observe({ kind }, seconds);
    },
  };
}

function createServiceMetrics(
  registry: Registry,
): Pick<Metrics, 'probed' | 'delivered' | 'openDeliveries'> {
  const probes = createLabelledCounter(registry, {
    name: 'agent_wallet_probes_total',
    help: 'Requests sent to services without proof of payment, by outcome',
    label: 'outcome',
    values: PROBE_OUTCOMES,
  });
  const deliveries = createLabelledCounter(registry, {
    name: 'agent_wallet_delivery_tries_total',
    help: 'Requests sent to services with proof of payment, by resulting state',
    label: 'outcome',
    values: DELIVERY_OUTCOMES,
  });
  const openDeliveries = new Gauge({
    name: 'agent_wallet_open_deliveries',
    help: 'Waiting and running deliveries of the whole system, as of the last sweep (aggregate with max)',
    labelNames: ['state'],
    registers: [registry],
  });
  return {
    probed: (outcome) => probes.inc({ outcome }),
    delivered: (outcome) => deliveries.inc({ outcome }),
    openDeliveries: (counts) => {
      for (const [state, count] of Object.entries(counts)) openDeliveries.set({ state }, count);
    },
  };
}

function createHttpMetrics(registry: Registry): HttpMetrics {
  const registers = [registry];
  const requests = new Counter({
    name: 'agent_wallet_http_requests_total',
    help: 'HTTP requests answered, by method, route pattern and status',
    labelNames: ['method', 'route', 'status'],
    registers,
  });
  const duration = new Histogram({
    name: 'agent_wallet_http_request_seconds',
    help: 'Duration of HTTP requests by method and route pattern',
    labelNames: ['method', 'route'],
    buckets: HTTP_BUCKETS_S,
    registers,
  });
  const inFlight = new Gauge({
    name: 'agent_wallet_http_requests_in_flight',
    help: 'HTTP requests that this process has begun and not answered',
    registers,
  });
  const refusals = createLabelledCounter(registry, {
    name: 'agent_wallet_refusals_total',
    help: 'Requests answered with an error, by the code of its body',
    label: 'code',
    values: CODES,
  });
  const known = new Set(CODES);
  return {
    began: () => {
      inFlight.inc();
      return () => inFlight.dec();
    },
    answered: ({ method, route, status, seconds }) => {
      // Without a route the method is the caller's choice as well.
      const target = route === null ? { method: 'any', route: 'none' } : { method, route };
      requests.inc({ ...target, status });
      if (route !== null) duration.observe(target, seconds);
    },
    refused: (code) => refusals.inc({ code: known.has(code) ? code : OTHER_CODE }),
  };
}
