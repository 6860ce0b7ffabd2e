import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';

/** The confirm-worker's metrics. No label holds an id. */
export type Metrics = {
  readonly registry: Registry;
  readonly settled: Counter<'transition'>;
  readonly stageSeconds: Histogram<'stage'>;
  readonly rebroadcasts: Counter;
  readonly watched: Gauge;
  readonly failedLooks: Counter;
  readonly hints: Counter;
  readonly usedHints: Counter;
  readonly liveHints: Gauge;
  /** Events that must not happen; each deserves an operator's attention. */
  readonly alerts: Counter<'kind'>;
  readonly uncorroborated: Counter;
  readonly followedSlot: Gauge;
  readonly isIntakeClosed: Gauge;
  readonly postponedTransactions: Counter;
  readonly programEvents: Counter<'name'>;
  readonly explainedLandings: Counter;
  readonly spendableSessions: Gauge;
  readonly blastRadius: Gauge<'horizon'>;
};

/** Creates the metrics in a registry of their own. */
export function createMetrics(): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const registers = [registry];
  return {
    registry,
    settled: new Counter({
      name: 'agent_wallet_spends_settled_total',
      help: 'State transitions of spends after their claim',
      labelNames: ['transition'],
      registers,
    }),
    stageSeconds: new Histogram({
      name: 'agent_wallet_stage_seconds',
      help: 'Seconds of a settled spend by stage: queued until the claim, landing until the verdict',
      labelNames: ['stage'],
      buckets: [0.05, 0.1, 0.25, 0.5, 1, 2, 4, 8, 16, 32, 64, 128, 256],
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
    alerts: new Counter({
      name: 'agent_wallet_alerts_total',
      help: 'Events that need an operator, by kind',
      labelNames: ['kind'],
      registers,
    }),
    uncorroborated: new Counter({
      name: 'agent_wallet_absences_without_second_witness_total',
      help: 'Expiries shown by one endpoint that no second endpoint corroborated',
      registers,
    }),
    followedSlot: new Gauge({
      name: 'agent_wallet_followed_slot',
      help: 'Slot up to which program events were read',
      registers,
    }),
    isIntakeClosed: new Gauge({
      name: 'agent_wallet_shut',
      help: '1 while intake is closed after a failover or a restore',
      registers,
    }),
    postponedTransactions: new Counter({
      name: 'agent_wallet_postponed_transactions_total',
      help: 'Failed tries to read or apply a transaction of the program',
      registers,
    }),
    programEvents: new Counter({
      name: 'agent_wallet_program_events_total',
      help: 'Program events read from the chain, by name',
      labelNames: ['name'],
      registers,
    }),
    explainedLandings: new Counter({
      name: 'agent_wallet_explained_landings_total',
      help: 'Landings on the chain that a stored attempt explains, whose event was not read',
      registers,
    }),
    spendableSessions: new Gauge({
      name: 'agent_wallet_spendable_sessions',
      help: 'Live sessions that may spend, over all wallets',
      registers,
    }),
    blastRadius: new Gauge({
      name: 'agent_wallet_blast_radius_base_units',
      help: 'Upper bound of what all session keys together could move, by horizon',
      labelNames: ['horizon'],
      registers,
    }),
  };
}
