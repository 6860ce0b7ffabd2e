/**
 * The burst: transfers by many clients at once, to ours and to the plain handler in alternating
 * rounds; also whether any was refused unsent, what each process spent on it, and what the bare
 * chain takes.
 */
import { describeBurst, type Burst, sendBurst } from '../load/burst.ts';
import { bareChainRate } from '../load/bare-chain.ts';
import type { CpuByProcess } from '../measure/cpu-by-process.ts';
import { measureBurst, type MeasuredBurst, summarize } from '../measure/measured-burst.ts';
import { compareRounds, compareWithBound } from '../report/compare.ts';
import { describeRounds, median } from '../report/statistics.ts';
import type { Line, Row } from '../row.ts';

const CLIENTS = 256;
const REQUESTS = 2_000;
const QUICK_REQUESTS = 500;
/** CPU milliseconds for each spend. */
const MOST_CPU = { postgres: 2, sum: 6 } as const;
/** Transfers per second; the target holds where the chain itself is no limit. */
const LEAST_RATE = 300;
const LEAST_CHAIN_RATE = 1_000;

type Measured = {
  readonly requests: number;
  readonly ours: readonly MeasuredBurst[];
  readonly reference: readonly Burst[];
  readonly chainRates: readonly number[];
};

export const burst: Row = {
  id: 'burst',
  lines: ['burst-rate', 'unsent', 'cpu', 'cpu-postgres'],
  limitMinutes: 10,
  run: async (bench) => {
    const stage = await bench.shared();
    const plain = await bench.plain();
    const requests = bench.isQuick ? QUICK_REQUESTS : REQUESTS;
    const load = { requests, clients: CLIENTS };
    const ours: MeasuredBurst[] = [];
    const reference: Burst[] = [];
    const chainRates: number[] = [];
    for (let round = 1; round <= bench.rounds; round += 1) {
      const say = (text: string): void => {
        bench.progress(`burst, round ${round} of ${bench.rounds}: ${text}`);
      };
      const one = await measureBurst(stage, load);
      say(`ours ${describeBurst(one)}`);
      ours.push(one);
      const other = await sendBurst(plain, load);
      say(`plain handler ${describeBurst(other)}`);
      reference.push(other);
      chainRates.push(await bareChainRate(plain.chain, requests));
      say(`bare chain ${chainRates.at(-1)?.toFixed(0)} /s`);
    }
    return linesOf({ requests, ours, reference, chainRates });
  },
};

function linesOf({ requests, ours, reference, chainRates }: Measured): readonly Line[] {
  const rates = ours.map(({ confirmedPerSecond }) => confirmedPerSecond);
  const ratio = compareRounds(
    { id: 'burst', what: `burst of ${requests}, 100 sessions, 256 clients: confirmed`, unit: '/s' },
    {
      ours: rates,
      reference: reference.map(({ replies, seconds }) => (replies['200'] ?? 0) / seconds),
    },
    { atLeast: 0.8 },
  );
  const rate = compareWithBound(
    { id: 'burst-rate', what: 'the same, where the bare chain takes ≥ 1 000 /s', unit: '/s' },
    rates,
    median(chainRates) >= LEAST_CHAIN_RATE ? { atLeast: LEAST_RATE } : null,
    `chain: ${describeRounds(chainRates, '/s')}`,
  );
  const unsent = compareWithBound(
    { id: 'unsent', what: 'refused unsent in that burst', unit: '' },
    ours.map(({ replies }) => replies['503 EXPIRED_UNSENT'] ?? 0),
    { atMost: 0 },
  );
  const cpu = (
    id: string,
    what: string,
    of: (one: CpuByProcess) => number,
    atMost: number | null,
  ): Line =>
    compareWithBound(
      { id, what: `CPU for each spend in that burst: ${what}`, unit: 'ms' },
      ours.map(({ cpuMs }) => of(cpuMs)),
      atMost === null ? null : { atMost },
    );
  return [
    { ...ratio, numbers: { ...ratio.numbers, rounds: ours.map(summarize) } },
    { ...rate, numbers: { ...rate.numbers, chainRates } },
    unsent,
    cpu('cpu', 'sum without the chain', sumOf, MOST_CPU.sum),
    cpu('cpu-postgres', 'Postgres', ({ postgres }) => postgres, MOST_CPU.postgres),
    ...(['api', 'tx-worker', 'confirm-worker', 'chain'] as const).map((name) =>
      cpu(`cpu-${name}`, name, (one) => one[name], null),
    ),
  ];
}

const sumOf = (one: CpuByProcess): number =>
  one.postgres + one.api + one['tx-worker'] + one['confirm-worker'];
