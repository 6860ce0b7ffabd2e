/**
 * The burst of the issue: transfers by many clients at once, to ours and to the plain handler in
 * alternating rounds; also whether any was refused unsent, and what each process spent on it.
 */
import { type Burst, sendBurst } from '../load/burst.ts';
import { type CpuByProcess, readCpu } from '../measure/cpu-by-process.ts';
import { compareRounds, compareWithBound } from '../report/compare.ts';
import { quantile } from '../report/statistics.ts';
import type { Line, Row } from '../row.ts';
import type { Stage } from '../stage/open-stage.ts';

const CLIENTS = 256;
const REQUESTS = 2_000;
const QUICK_REQUESTS = 500;
const CPU_TARGETS = { postgres: 2, sum: 6 } as const;

type Round = Burst & {
  readonly confirmedPerSecond: number;
  /** CPU milliseconds for each confirmed spend. */
  readonly cpuMs: CpuByProcess;
};

export const burst: Row = {
  id: 'burst',
  lines: ['unsent', 'cpu', 'cpu-postgres'],
  limitMinutes: 10,
  run: async (bench) => {
    const ours = await bench.shared();
    const plain = await bench.plain();
    const requests = bench.isQuick ? QUICK_REQUESTS : REQUESTS;
    const load = { requests, clients: CLIENTS };
    const rounds: Round[] = [];
    const references: Burst[] = [];
    for (let round = 1; round <= bench.rounds; round += 1) {
      bench.progress(`burst, round ${round} of ${bench.rounds}: ours`);
      const one = await runOurs(ours, load);
      bench.progress(describe(one));
      rounds.push(one);
      bench.progress(`burst, round ${round} of ${bench.rounds}: plain handler`);
      const reference = await sendBurst(plain, load);
      bench.progress(describe(reference));
      references.push(reference);
    }
    return linesOf(requests, rounds, references);
  },
};

async function runOurs(stage: Stage, load: { requests: number; clients: number }): Promise<Round> {
  const confirmedBefore = await stage.countConfirmed();
  const before = await readCpu(stage.system);
  const startedMs = performance.now();
  const one = await sendBurst(stage, load);
  await stage.rest();
  const seconds = one.replies['202'] === undefined ? one.seconds : secondsSince(startedMs);
  const after = await readCpu(stage.system);
  const confirmed = (await stage.countConfirmed()) - confirmedBefore;
  const perSpend = (name: keyof CpuByProcess): number => (after[name] - before[name]) / confirmed;
  return {
    ...one,
    confirmedPerSecond: confirmed / seconds,
    cpuMs: {
      postgres: perSpend('postgres'),
      api: perSpend('api'),
      'tx-worker': perSpend('tx-worker'),
      'confirm-worker': perSpend('confirm-worker'),
      chain: perSpend('chain'),
    },
  };
}

const secondsSince = (ms: number): number => (performance.now() - ms) / 1_000;

function linesOf(
  requests: number,
  rounds: readonly Round[],
  references: readonly Burst[],
): readonly Line[] {
  const rate = compareRounds(
    { id: 'burst', what: `burst of ${requests}, 100 sessions, 256 clients: confirmed`, unit: '/s' },
    {
      ours: rounds.map(({ confirmedPerSecond }) => confirmedPerSecond),
      reference: references.map(({ replies, seconds }) => (replies['200'] ?? 0) / seconds),
    },
    { atLeast: 0.8 },
  );
  const unsent = compareWithBound(
    { id: 'unsent', what: 'refused unsent in that burst', unit: '' },
    rounds.map(({ replies }) => replies['503 EXPIRED_UNSENT'] ?? 0),
    { atMost: 0 },
  );
  const cpu = (
    id: string,
    what: string,
    of: (one: CpuByProcess) => number,
    atMost: number | null,
  ) =>
    compareWithBound(
      { id, what: `CPU for each spend in that burst: ${what}`, unit: 'ms' },
      rounds.map(({ cpuMs }) => of(cpuMs)),
      atMost === null ? null : { atMost },
    );
  return [
    { ...rate, numbers: { ...rate.numbers, rounds: rounds.map(strip) } },
    unsent,
    cpu('cpu', 'sum without the chain', sumOf, CPU_TARGETS.sum),
    cpu('cpu-postgres', 'Postgres', ({ postgres }) => postgres, CPU_TARGETS.postgres),
    ...(['api', 'tx-worker', 'confirm-worker', 'chain'] as const).map((name) =>
      cpu(`cpu-${name}`, name, (one) => one[name], null),
    ),
  ];
}

const sumOf = (one: CpuByProcess): number =>
  one.postgres + one.api + one['tx-worker'] + one['confirm-worker'];

const strip = ({ latenciesMs, ...round }: Round): object => ({
  ...round,
  p50Ms: quantile(latenciesMs, 0.5),
  p99Ms: quantile(latenciesMs, 0.99),
});

function describe({ seconds, replies, retried, latenciesMs }: Burst): string {
  const p50 = (quantile(latenciesMs, 0.5) / 1_000).toFixed(2);
  return `${counted(replies)} in ${seconds.toFixed(1)} s, p50 ${p50} s; retried: ${counted(retried)}`;
}

function counted(kinds: Readonly<Record<string, number>>): string {
  const parts = Object.entries(kinds).map(([kind, count]) => `${count} × ${kind}`);
  return parts.join(', ') || 'none';
}
