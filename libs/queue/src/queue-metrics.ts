import { Gauge, type Registry } from 'prom-client';

/** The queue of the whole system. */
export type QueueLoad = {
  /** Jobs that a worker may take. */
  readonly waiting: number;
  /** Jobs that a worker runs. */
  readonly active: number;
  /** Jobs that failed within the last hour. */
  readonly failed: number;
  /** Age of the job that has waited longest, on the clock of this process; 0 without one. */
  readonly oldestSeconds: number;
};

/**
 * Creates the metrics of the queue. The returned function records its load; null records that its
 * store did not respond.
 */
export function createQueueMetrics(registry: Registry): (load: QueueLoad | null) => void {
  const registers = [registry];
  const jobs = new Gauge({
    name: 'agent_wallet_queue_jobs',
    help: 'Jobs in the queue of the whole system, by state; failed ones of the last hour (aggregate with max)',
    labelNames: ['state'],
    registers,
  });
  const oldest = new Gauge({
    name: 'agent_wallet_queue_oldest_job_seconds',
    help: 'Age of the job that has waited longest in the whole system (aggregate with max)',
    registers,
  });
  const isUp = new Gauge({
    name: 'agent_wallet_queue_up',
    help: '1 while the store of the queue responds to this process',
    registers,
  });
  return (load) => {
    isUp.set(load === null ? 0 : 1);
    if (load === null) return;
    for (const state of ['waiting', 'active', 'failed'] as const) jobs.set({ state }, load[state]);
    oldest.set(load.oldestSeconds);
  };
}
