import { collectDefaultMetrics, Gauge, Registry } from 'prom-client';

/** Gauges whose names end in `_total`, which belongs to counters. The same values have labels. */
const MISNAMED = [
  'nodejs_active_resources_total',
  'nodejs_active_handles_total',
  'nodejs_active_requests_total',
];
const GC_BUCKETS_S = [0.005, 0.05, 0.5];

/**
 * Creates the registry of one process, with the metrics that every process has: memory, CPU, event
 * loop, file descriptors, start time, and its build.
 */
export function createProcessRegistry(build: {
  readonly process: string;
  readonly version: string;
}): Registry {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry, gcDurationBuckets: GC_BUCKETS_S });
  for (const name of MISNAMED) registry.removeSingleMetric(name);
  new Gauge({
    name: 'agent_wallet_build_info',
    help: 'Always 1; the labels name the process, its version and that of Node',
    labelNames: ['process', 'version', 'node'],
    registers: [registry],
  }).set({ ...build, node: process.versions.node }, 1);
  return registry;
}
