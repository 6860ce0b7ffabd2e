import { PROGRAM_ERROR_NAMES, type SendOutcome } from '@agent-wallet/chain';
import {
  createLabelledCounter,
  createProcessRegistry,
  type LabelledCounter,
} from '@agent-wallet/process';
import { createQueueMetrics } from '@agent-wallet/queue';
import { CLAIM_OUTCOMES, type ClaimOutcome, REFUSALS } from '@agent-wallet/spend';
import { Counter, Gauge, type Registry } from 'prom-client';
import packageJson from '../package.json' with { type: 'json' };

const SEND_OUTCOMES = [
  'accepted',
  'refused',
  'already_processed',
  'not_taken',
  'unknown',
] as const satisfies readonly SendOutcome['kind'][];
const FAULT_STAGES = ['away', 'prepare', 'send', 'run'] as const;

/** The tx-worker's own metrics; labels hold no ids. */
export type Metrics = {
  readonly registry: Registry;
  readonly claims: LabelledCounter<'outcome', ClaimOutcome>;
  readonly sends: LabelledCounter<'outcome', SendOutcome['kind']>;
  readonly refusals: LabelledCounter<'code', string>;
  readonly faults: LabelledCounter<'stage', (typeof FAULT_STAGES)[number]>;
  readonly signerMismatches: Counter;
  readonly sessionKeysMade: Counter;
  readonly sessionKeysFree: Gauge;
  readonly sessionKeysResealed: Counter;
  /** Above 0 is an alert. */
  readonly sessionKeysUnopened: Gauge;
  /** Above 0 is an alert. */
  readonly feePayersBelowFloor: Gauge;
  readonly feePayerLamports: Gauge<'payer'>;
  readonly restoresNoticed: Counter;
  readonly openSpends: Gauge<'status'>;
  readonly oldestSeconds: Gauge<'status'>;
  readonly reserved: Gauge;
  readonly queueMeasured: ReturnType<typeof createQueueMetrics>;
};

/** Creates the registry and the metrics of the tx-worker. */
export function createMetrics(): Metrics {
  const registry = createProcessRegistry({ process: 'tx-worker', version: packageJson.version });
  const registers = [registry];
  return {
    registry,
    ...createLaneMetrics(registry),
    openSpends: new Gauge({
      name: 'agent_wallet_open_spends',
      help: 'Spends queued and in flight in the whole system (aggregate with max)',
      labelNames: ['status'],
      registers,
    }),
    oldestSeconds: new Gauge({
      name: 'agent_wallet_oldest_open_spend_seconds',
      help: 'Age of the oldest queued spend, and time since the claim of the oldest in flight, in the whole system (aggregate with max)',
      labelNames: ['status'],
      registers,
    }),
    reserved: new Gauge({
      name: 'agent_wallet_reserved_base_units',
      help: 'USDC that open spends hold in the whole system (aggregate with max)',
      registers,
    }),
    feePayersBelowFloor: new Gauge({
      name: 'agent_wallet_fee_payers_below_floor',
      help: 'Fee payers below FEE_PAYER_FLOOR_LAMPORTS, which are not used (aggregate with max)',
      registers,
    }),
    feePayerLamports: new Gauge({
      name: 'agent_wallet_fee_payer_lamports',
      help: 'Balance of each fee payer by its index in FEE_PAYER_KEYS and then FEE_PAYER_SIGNERS (aggregate with max)',
      labelNames: ['payer'],
      registers,
    }),
    sessionKeysMade: new Counter({
      name: 'agent_wallet_session_keys_made_total',
      help: 'Session keys made ahead of need by this process',
      registers,
    }),
    sessionKeysFree: new Gauge({
      name: 'agent_wallet_session_keys_free',
      help: 'Session keys that the next sessions can take, in the whole system (aggregate with max)',
      registers,
    }),
    sessionKeysResealed: new Counter({
      name: 'agent_wallet_session_keys_resealed_total',
      help: 'Session keys that this process sealed again by the newest data key',
      registers,
    }),
    sessionKeysUnopened: new Gauge({
      name: 'agent_wallet_session_keys_unopened',
      help: 'Session keys of an older data key that did not open in the last round (aggregate with max)',
      registers,
    }),
    queueMeasured: createQueueMetrics(registry),
  };
}

function createLaneMetrics(registry: Registry) {
  const registers = [registry];
  return {
    claims: createLabelledCounter(registry, {
      name: 'agent_wallet_claims_total',
      help: 'Attempts to claim a queued spend by outcome',
      label: 'outcome',
      values: CLAIM_OUTCOMES,
    }),
    sends: createLabelledCounter(registry, {
      name: 'agent_wallet_first_sends_total',
      help: 'First sends of an attempt by the outcome of the RPC call',
      label: 'outcome',
      values: SEND_OUTCOMES,
    }),
    refusals: createLabelledCounter(registry, {
      name: 'agent_wallet_lane_refusals_total',
      help: 'Spends refused by the lane by code',
      label: 'code',
      values: [...Object.values(REFUSALS), ...PROGRAM_ERROR_NAMES],
    }),
    faults: createLabelledCounter(registry, {
      name: 'agent_wallet_lane_faults_total',
      help: 'Faults of a lane run by stage',
      label: 'stage',
      values: FAULT_STAGES,
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
  };
}
