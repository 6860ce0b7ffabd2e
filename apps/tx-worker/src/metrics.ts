import { Counter, Registry } from 'prom-client';

/** The tx-worker's own metrics; labels hold no ids. */
export type Metrics = {
  readonly registry: Registry;
  readonly claims: Counter<'outcome'>;
  readonly sends: Counter<'outcome'>;
  readonly refusals: Counter<'code'>;
  readonly faults: Counter<'stage'>;
  readonly signerMismatches: Counter;
  readonly sessionKeysMade: Counter;
};

/** Creates the registry with everything the tx-worker counts. */
export function createMetrics(): Metrics {
  const registry = new Registry();
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
      help: 'First sends of an attempt by what the endpoint answered',
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
      help: 'Times the signer refused bytes that did not match their row; any is an alert',
      registers,
    }),
    sessionKeysMade: new Counter({
      name: 'agent_wallet_session_keys_made_total',
      help: 'Session keys made ahead of need by this process',
      registers,
    }),
  };
}
