/**
 * Under faults: one RPC call in twelve loses its request or its answer, and processes are killed at
 * random, while the same clients repeat each request until they have an answer. Ours is a world of
 * tests/chaos, which compares chain, rows, log and answers.
 */
import { killAtRandom } from '../../chaos/disturb/processes.ts';
import { runRow } from '../../chaos/run-row.ts';
import { compareWithBound } from '../report/compare.ts';
import type { Line, Row } from '../row.ts';
import type { Bench } from '../stage/bench.ts';
import { runPlainUnderFaults } from '../reference/plain-under-faults.ts';

const SEED = 'bench';
const DRIVE_MS = 45_000;
const QUICK_DRIVE_MS = 20_000;
const CLIENTS = 64;
const LEAST_KILLS = 15;
const CAST = { wallets: 3, sessionsEach: 8 } as const;

type Found = {
  readonly spends: number;
  readonly faults: number;
  readonly landedTwice: number;
  readonly lost: number;
};

export const faults: Row = {
  id: 'faults',
  lines: ['landed-twice', 'outcomes-lost'],
  limitMinutes: 10,
  run: async (bench) => {
    const driveMs = bench.isQuick ? QUICK_DRIVE_MS : DRIVE_MS;
    const { system } = await bench.shared();
    const { databaseUrl } = system;
    bench.progress('faults: ours, the plain handler, and one with a mutex and retries');
    const plain = (isCareful: boolean): Promise<Found> =>
      runPlainUnderFaults({ databaseUrl, isCareful, driveMs, clients: CLIENTS, seed: SEED });
    const [ours, first, careful] = await Promise.all([
      runOurs(bench, driveMs),
      plain(false),
      plain(true),
    ]);
    const line = (id: string, what: string, of: (found: Found) => number): Line => {
      const told = (found: Found): string => `${of(found)} of ${found.spends}`;
      const reference = `plain: ${told(first)}; with mutex and retry: ${told(careful)}`;
      const one = compareWithBound({ id, what, unit: '' }, [of(ours)], { atMost: 0 }, reference);
      return { ...one, ours: told(ours), numbers: { ours, plain: first, careful } };
    };
    return [
      line('landed-twice', 'under faults: landed twice', ({ landedTwice }) => landedTwice),
      line('outcomes-lost', 'under faults: outcomes lost', ({ lost }) => lost),
    ];
  },
};

async function runOurs(bench: Bench, driveMs: number): Promise<Found> {
  const row = {
    name: 'answers lost, kill -9',
    profile: 'drops',
    disturb: killAtRandom,
    leastFaults: LEAST_KILLS,
  } as const;
  const result = await runRow(row, {
    seed: SEED,
    takeTurn: async () => ({ driveMs, end: () => undefined }),
    laneDepth: 96,
    atOnce: CLIENTS,
    cast: CAST,
  });
  const { landedTwice, lost, illegal, unsettled } = result;
  for (const sentence of [...landedTwice, ...lost, ...illegal]) bench.wrong(sentence);
  return {
    spends: result.spends,
    faults: result.faults,
    landedTwice: landedTwice.length,
    lost: lost.length + unsettled,
  };
}
