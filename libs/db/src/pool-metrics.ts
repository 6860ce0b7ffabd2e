import { Counter, Gauge, type Registry } from 'prom-client';
import type { DatabasePool } from 'slonik';

/** Why a call got no connection: the connection failed, or the pool had none free in time. */
const NO_CONNECTION = ['connect', 'wait_timeout'] as const;

type WatchedPool = Pick<DatabasePool, 'state'>;

export type PoolMetrics = {
  /** Reads the pool at each scrape. */
  readonly watch: (pool: WatchedPool, poolSize: number) => void;
  readonly failed: (why: (typeof NO_CONNECTION)[number]) => void;
};

/** Creates the metrics of the connection pool of a process. */
export function createPoolMetrics(registry: Registry): PoolMetrics {
  const registers = [registry];
  const failures = new Counter({
    name: 'agent_wallet_database_connect_failures_total',
    help: 'Connections to the database that failed (connect), and calls that got none in time (wait_timeout)',
    labelNames: ['why'],
    registers,
  });
  for (const why of NO_CONNECTION) failures.inc({ why }, 0);
  const size = new Gauge({
    name: 'agent_wallet_database_pool_size',
    help: 'Most connections of the pool of this process',
    registers,
  });
  return {
    failed: (why) => failures.inc({ why }),
    watch: (pool, poolSize) => {
      size.set(poolSize);
      registry.registerMetric(connectionsOf(pool));
      registry.registerMetric(waitingCallsOf(pool));
    },
  };
}

function connectionsOf(pool: WatchedPool): Gauge {
  return new Gauge({
    name: 'agent_wallet_database_connections',
    help: 'Connections of the pool of this process, by state',
    labelNames: ['state'],
    registers: [],
    collect() {
      const { acquiredConnections, idleConnections, pendingConnections } = pool.state();
      this.set({ state: 'in_use' }, acquiredConnections);
      this.set({ state: 'idle' }, idleConnections);
      this.set({ state: 'connecting' }, pendingConnections);
    },
  });
}

function waitingCallsOf(pool: WatchedPool): Gauge {
  return new Gauge({
    name: 'agent_wallet_database_waiting_calls',
    help: 'Calls that wait for a connection of the pool of this process',
    registers: [],
    collect() {
      this.set(pool.state().waitingClients);
    },
  });
}
