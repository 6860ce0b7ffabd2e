import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';

/** The facilitator's own metrics; labels hold no addresses and no text of callers. */
export type Metrics = {
  readonly registry: Registry;
  readonly requests: Counter<'route' | 'outcome'>;
  readonly refusals: Counter<'reason'>;
  readonly settleSeconds: Histogram;
  readonly settlesInProgress: Gauge;
  readonly feePayerLamports: Gauge<'payer'>;
  /** Above 0 is an alert. */
  readonly feePayersBelowFloor: Gauge;
};

/** Creates the registry and the metrics of the facilitator. */
export function createMetrics(): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const registers = [registry];
  return {
    registry,
    requests: new Counter({
      name: 'agent_wallet_facilitator_requests_total',
      help: 'Requests by route and outcome',
      labelNames: ['route', 'outcome'],
      registers,
    }),
    refusals: new Counter({
      name: 'agent_wallet_facilitator_refusals_total',
      help: 'Payments that were not valid or did not settle, by the reason of x402',
      labelNames: ['reason'],
      registers,
    }),
    settleSeconds: new Histogram({
      name: 'agent_wallet_facilitator_settle_seconds',
      help: 'Time from the request to settle until its response',
      buckets: [0.1, 0.25, 0.5, 1, 2, 4, 8, 16, 32, 64],
      registers,
    }),
    settlesInProgress: new Gauge({
      name: 'agent_wallet_facilitator_settles_in_progress',
      help: 'Requests to settle that have no response yet',
      registers,
    }),
    feePayerLamports: new Gauge({
      name: 'agent_wallet_facilitator_fee_payer_lamports',
      help: 'Balance of each fee payer by its index in FEE_PAYER_KEYS',
      labelNames: ['payer'],
      registers,
    }),
    feePayersBelowFloor: new Gauge({
      name: 'agent_wallet_facilitator_fee_payers_below_floor',
      help: 'Fee payers below FEE_PAYER_FLOOR_LAMPORTS; any is an alert',
      registers,
    }),
  };
}
