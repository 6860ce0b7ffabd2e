import { type Burst, type BurstLoad, sendBurst } from '../load/burst.ts';
import type { Target } from '../load/agents.ts';
import { quantile } from '../report/statistics.ts';
import type { Stage } from '../stage/open-stage.ts';
import { type CpuByProcess, readCpu } from './cpu-by-process.ts';

/** A burst to a system of ours, until no spend is open. */
export type MeasuredBurst = Burst & {
  readonly confirmed: number;
  readonly confirmedPerSecond: number;
  /** CPU milliseconds for each confirmed spend. */
  readonly cpuMs: CpuByProcess;
};

/** Sends a burst of some of the stage's agents, by default all. */
export async function measureBurst(
  stage: Stage,
  load: BurstLoad,
  target: Target = stage,
): Promise<MeasuredBurst> {
  const confirmedBefore = await stage.countConfirmed();
  const before = await readCpu(stage.system);
  const startedMs = performance.now();
  const one = await sendBurst(target, load);
  await stage.rest();
  const restSeconds = (performance.now() - startedMs) / 1_000;
  const after = await readCpu(stage.system);
  const confirmed = (await stage.countConfirmed()) - confirmedBefore;
  const perSpend = (name: keyof CpuByProcess): number => (after[name] - before[name]) / confirmed;
  return {
    ...one,
    confirmed,
    // Without a 202 every confirmed spend had its reply by then.
    confirmedPerSecond: confirmed / (one.replies['202'] === undefined ? one.seconds : restSeconds),
    cpuMs: {
      postgres: perSpend('postgres'),
      api: perSpend('api'),
      'tx-worker': perSpend('tx-worker'),
      'confirm-worker': perSpend('confirm-worker'),
      chain: perSpend('chain'),
    },
  };
}

/** Without the single latencies, for the JSON file. */
export const summarize = ({ latenciesMs, ...rest }: Burst): object => ({
  ...rest,
  p50Ms: quantile(latenciesMs, 0.5),
  p99Ms: quantile(latenciesMs, 0.99),
});
