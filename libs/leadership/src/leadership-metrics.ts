import { Counter, Gauge, type Registry } from 'prom-client';

export type LeadershipMetrics = {
  /** Starts the series of a task; `leads` is called at each scrape. */
  readonly watch: (task: string, leads: () => boolean) => void;
  readonly tookOver: (task: string) => void;
};

/** Registers who leads, and how often a leader was replaced that had not given its lease back. */
export function createLeadershipMetrics(registry: Registry): LeadershipMetrics {
  const tasks = new Map<string, () => boolean>();
  const leaders = new Gauge({
    name: 'agent_wallet_leads',
    help: '1 while this process leads the task; over all copies the sum is 1',
    labelNames: ['task'],
    registers: [],
    // A lease can end between two passes: the gauge looks at the clock.
    collect() {
      for (const [task, leads] of tasks) this.set({ task }, leads() ? 1 : 0);
    },
  });
  registry.registerMetric(leaders);
  const takeovers = new Counter({
    name: 'agent_wallet_leader_takeovers_total',
    help: 'Leases that this process took after their leader had let them run out',
    labelNames: ['task'],
    registers: [registry],
  });
  return {
    watch: (task, leads) => {
      tasks.set(task, leads);
      takeovers.inc({ task }, 0);
    },
    tookOver: (task) => takeovers.inc({ task }),
  };
}
