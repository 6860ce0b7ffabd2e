import { Counter, Gauge, Histogram, Registry } from 'prom-client';

/** The confirm-worker's own metrics; labels hold no ids. */
export type Metrics = {
  readonly registry: Registry;
  readonly settled: Counter<'edge'>;
  readonly stageSeconds: Histogram<'stage'>;
  readonly rebroadcasts: Counter;
  readonly watched: Gauge;
  /** Things that must not happen; each is worth waking somebody. */
  readonly alerts: Counter<'kind'>;
  readonly unwitnessed: Counter;
  readonly followedSlot: Gauge;
  /** 1 while acceptance and lanes are shut after a failover or restore. */
  readonly isShut: Gauge;
  readonly programEvents: Counter<'name'>;
  readonly spendableSessions: Gauge;
  readonly blastRadius: Gauge<'horizon'>;
};

/** Creates the registry with everything the confirm-worker counts. */
export function createMetrics(): Metrics {
  const registry = new Registry();
  const registers = [registry];
  return {
    registry,
    settled: new Counter({
      name: 'agent_wallet_spends_settled_total',
      help: 'Edges taken by spends in flight',
      labelNames: ['edge'],
      registers,
    }),
    stageSeconds: new Histogram({
      name: 'agent_wallet_stage_seconds',
      help: 'Seconds of a settled spend: queued until its claim, landing from there to its verdict',
      labelNames: ['stage'],
      buckets: [0.05, 0.1, 0.25, 0.5, 1, 2, 4, 8, 16, 32, 64, 128, 256],
      registers,
    }),
    rebroadcasts: new Counter({
      name: 'agent_wallet_rebroadcasts_total',
      help: 'Times the same bytes were sent again',
      registers,
    }),
    watched: new Gauge({
      name: 'agent_wallet_attempts_in_last_look',
      help: 'Attempts looked at in the last pass that had any',
      registers,
    }),
    alerts: new Counter({
      name: 'agent_wallet_alerts_total',
      help: 'Findings about the chain that need a person',
      labelNames: ['kind'],
      registers,
    }),
    unwitnessed: new Counter({
      name: 'agent_wallet_absences_without_second_witness_total',
      help: 'Looks at which one endpoint showed an attempt as expired and no other one agreed',
      registers,
    }),
    followedSlot: new Gauge({
      name: 'agent_wallet_followed_slot',
      help: 'Slot up to which the program events were read',
      registers,
    }),
    isShut: new Gauge({
      name: 'agent_wallet_shut',
      help: '1 while acceptance and lanes are shut after a failover or a restore',
      registers,
    }),
    programEvents: new Counter({
      name: 'agent_wallet_program_events_total',
      help: 'Program events read from the chain by name',
      labelNames: ['name'],
      registers,
    }),
    spendableSessions: new Gauge({
      name: 'agent_wallet_spendable_sessions',
      help: 'Live sessions of all wallets that may pay somebody',
      registers,
    }),
    blastRadius: new Gauge({
      name: 'agent_wallet_blast_radius_base_units',
      help: 'Most that all session keys together could move within 24h, and until_expiry',
      labelNames: ['horizon'],
      registers,
    }),
  };
}
