import { createProcessRegistry } from '@agent-wallet/process';
import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import packageJson from '../package.json' with { type: 'json' };

const REFUSED = ['bad_request', 'unauthorized', 'throttled', 'error'];
const OUTCOMES = {
  '/verify': ['valid', 'invalid', ...REFUSED],
  '/settle': ['settled', 'pending', 'failed', 'busy', ...REFUSED],
};

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
  const registry = createProcessRegistry({ process: 'facilitator', version: packageJson.version });
  const registers = [registry];
  const requests = new Counter({
    name: 'agent_wallet_facilitator_requests_total',
    help: 'Requests by route and outcome',
    labelNames: ['route', 'outcome'],
    registers,
  });
  for (const [route, outcomes] of Object.entries(OUTCOMES)) {
    for (const outcome of outcomes) requests.inc({ route, outcome }, 0);
  }
  return {
    registry,
    requests,
    refusals: new Counter({
      name: 'agent_wallet_facilitator_refusals_total',
      help: 'Payments that were not valid or did not settle, by the reason of x402',
      labelNames: ['reason'],
      registers,
    }),
    settleSeconds: new Histogram({
      name: 'agent_wallet_facilitator_settle_seconds',
      help: 'Time from the request to settle until its response',
      buckets: [0.2, 0.4, 0.6, 0.8, 1.2, 2, 4, 8, 16, 32, 64],
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
