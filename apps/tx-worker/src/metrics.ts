import { collectDefaultMetrics, Counter, Gauge, Registry } from 'prom-client';

/** The tx-worker's own metrics; labels hold no ids. */
export type Metrics = {
  readonly registry: Registry;
  readonly claims: Counter<'outcome'>;
  readonly sends: Counter<'outcome'>;
  readonly refusals: Counter<'code'>;
  readonly faults: Counter<'stage'>;
  readonly signerMismatches: Counter;
  readonly sessionKeysMade: Counter;
  /** Above 0 is an alert. */
  readonly feePayersBelowFloor: Gauge;
  readonly feePayerLamports: Gauge<'payer'>;
  readonly restoresNoticed: Counter;
  readonly openSpends: Gauge<'status'>;
  readonly oldestSeconds: Gauge<'status'>;
};

/** Creates the registry and the metrics of the tx-worker. */
export function createMetrics(): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const registers = [registry];
  return {
    registry,
    claims: new Counter({
      name: 'agent_wallet_claims_total',
      help: 'Attempts to claim a queued spend by outcome',
      labelNames: ['outcome'],
      registers,
    }),
    sends: new Counter({
      name: 'agent_wallet_first_sends_total',
      help: 'First sends of an attempt by the outcome of the RPC call',
      labelNames: ['outcome'],
      registers,
    }),
    refusals: new Counter({
      name: 'agent_wallet_lane_refusals_total',
      help: 'Spends refused by the lane by code',
      labelNames: ['code'],
      registers,
    }),
    faults: new Counter({
      name: 'agent_wallet_lane_faults_total',
      help: 'Faults of a lane run by stage',
      labelNames: ['stage'],
      registers,
    }),
    signerMismatches: new Counter({
      name: 'agent_wallet_signer_mismatches_total',
      help: 'Transactions that the signer refused because they did not match their row; any is an alert',
      registers,
    }),
    restoresNoticed: new Counter({
      name: 'agent_wallet_restores_noticed_total',
      help: 'Sessions found with a sequence number that the database never assigned; any is an alert',
      registers,
    }),
    openSpends: new Gauge({
      name: 'agent_wallet_open_spends',
      help: 'Spends queued and in flight in the whole system',
      labelNames: ['status'],
      registers,
    }),
    oldestSeconds: new Gauge({
      name: 'agent_wallet_oldest_open_spend_seconds',
      help: 'Age of the oldest queued spend, and time since the claim of the oldest in flight',
      labelNames: ['status'],
      registers,
    }),
    feePayersBelowFloor: new Gauge({
      name: 'agent_wallet_fee_payers_below_floor',
      help: 'Fee payers below FEE_PAYER_FLOOR_LAMPORTS, which are not used; any is an alert',
      registers,
    }),
    feePayerLamports: new Gauge({
      name: 'agent_wallet_fee_payer_lamports',
      help: 'Balance of each fee payer by its index in FEE_PAYER_KEYS',
      labelNames: ['payer'],
      registers,
    }),
    sessionKeysMade: new Counter({
      name: 'agent_wallet_session_keys_made_total',
      help: 'Session keys made ahead of need by this process',
      registers,
    }),
  };
}
