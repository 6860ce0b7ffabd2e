import { PROGRAM_EVENT_NAMES } from '@agent-wallet/chain';
import {
  createLabelledCounter,
  createProcessRegistry,
  type LabelledCounter,
} from '@agent-wallet/process';
import type { SettledSpend } from '@agent-wallet/spend';
import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import packageJson from '../package.json' with { type: 'json' };
import { DISCREPANCY_KINDS } from './reconcile/record-discrepancies.ts';

const TRANSITIONS = [
  'confirmed',
  'reverted',
  'requeued',
  'rejected',
  'corrected',
  'forked_out',
] as const;

/** Events that must not happen; each deserves an operator's attention. */
const ALERT_KINDS = [
  ...DISCREPANCY_KINDS,
  'landed_after_refusal',
  'forked_out',
  'final_outcome_differs',
  'sequence_used_by_other_spend',
  'landing_not_shown',
  'transaction_skipped',
  'database_replaced',
  'webhook_key',
] as const;

/** Spends take 0.3 to 1 s on the local chain and seconds on a cluster; expiry takes from 73 s on. */
const STAGE_BUCKETS_S = [0.05, 0.1, 0.2, 0.3, 0.4, 0.6, 0.8, 1.2, 2, 3, 5, 10, 30, 90, 180];

/** The confirm-worker's metrics. No label holds an id. */
export type Metrics = {
  readonly registry: Registry;
  readonly settled: LabelledCounter<'transition', NonNullable<SettledSpend['transition']>>;
  readonly stageSeconds: Histogram<'stage'>;
  readonly rebroadcasts: Counter;
  readonly watched: Gauge;
  readonly failedLooks: Counter;
  readonly hints: Counter;
  readonly usedHints: Counter;
  readonly liveHints: Gauge;
  readonly alerts: LabelledCounter<'kind', (typeof ALERT_KINDS)[number]>;
  readonly uncorroborated: Counter;
  readonly followedSlot: Gauge;
  readonly headSlot: Gauge;
  readonly isIntakeClosed: Gauge;
  readonly postponedTransactions: Counter;
  readonly programEvents: LabelledCounter<'name', string>;
  readonly explainedLandings: Counter;
  readonly spendableSessions: Gauge;
  readonly blastRadius: Gauge<'horizon'>;
};

/** Creates the metrics in a registry of their own. */
export function createMetrics(): Metrics {
  const registry = createProcessRegistry({
    process: 'confirm-worker',
    version: packageJson.version,
  });
  const registers = [registry];
  return {
    registry,
    settled: createLabelledCounter(registry, {
      name: 'agent_wallet_spends_settled_total',
      help: 'State transitions of spends after their claim',
      label: 'transition',
      values: TRANSITIONS,
    }),
    stageSeconds: new Histogram({
      name: 'agent_wallet_stage_seconds',
      help: 'Seconds of a settled spend by stage: queued until the claim, landing until the verdict',
      labelNames: ['stage'],
      buckets: STAGE_BUCKETS_S,
      registers,
    }),
    rebroadcasts: new Counter({
      name: 'agent_wallet_rebroadcasts_total',
      help: 'Broadcasts that repeated the bytes of an attempt',
      registers,
    }),
    watched: new Gauge({
      name: 'agent_wallet_attempts_in_last_look',
      help: 'Attempts in the last pass of the watch that had any',
      registers,
    }),
    failedLooks: new Counter({
      name: 'agent_wallet_failed_looks_total',
      help: 'Checks of one attempt that failed; the attempt alone is backed off',
      registers,
    }),
    hints: new Counter({
      name: 'agent_wallet_landing_hints_total',
      help: 'Landings of the program that nodes notified over WebSocket',
      registers,
    }),
    usedHints: new Counter({
      name: 'agent_wallet_landing_hints_used_total',
      help: 'Attempts that were checked because a node notified their landing',
      registers,
    }),
    liveHints: new Gauge({
      name: 'agent_wallet_landing_hints_live',
      help: 'Endpoints with a live subscription to landings; with 0 the watch polls',
      registers,
    }),
    alerts: createLabelledCounter(registry, {
      name: 'agent_wallet_alerts_total',
      help: 'Events that need an operator, by kind',
      label: 'kind',
      values: ALERT_KINDS,
    }),
    uncorroborated: new Counter({
      name: 'agent_wallet_absences_without_second_witness_total',
      help: 'Expiries shown by one endpoint that no second endpoint corroborated',
      registers,
    }),
    followedSlot: new Gauge({
      name: 'agent_wallet_followed_slot',
      help: 'Slot up to which program events were read, in the whole system (aggregate with max)',
      registers,
    }),
    headSlot: new Gauge({
      name: 'agent_wallet_chain_head_slot',
      help: 'Newest confirmed slot of the chain (aggregate with max)',
      registers,
    }),
    isIntakeClosed: new Gauge({
      name: 'agent_wallet_shut',
      help: '1 while intake is closed after a failover or a restore (aggregate with max)',
      registers,
    }),
    postponedTransactions: new Counter({
      name: 'agent_wallet_postponed_transactions_total',
      help: 'Failed tries to read or apply a transaction of the program',
      registers,
    }),
    programEvents: createLabelledCounter(registry, {
      name: 'agent_wallet_program_events_total',
      help: 'Program events read from the chain, by name',
      label: 'name',
      values: PROGRAM_EVENT_NAMES,
    }),
    explainedLandings: new Counter({
      name: 'agent_wallet_explained_landings_total',
      help: 'Landings on the chain that a stored attempt explains, whose event was not read',
      registers,
    }),
    spendableSessions: new Gauge({
      name: 'agent_wallet_spendable_sessions',
      help: 'Live sessions that may spend, over all wallets (aggregate with max)',
      registers,
    }),
    blastRadius: new Gauge({
      name: 'agent_wallet_blast_radius_base_units',
      help: 'Upper bound of what all session keys together could move, by horizon (aggregate with max)',
      labelNames: ['horizon'],
      registers,
    }),
  };
}
