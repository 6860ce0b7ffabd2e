/** The same work in a small database and in a grown one: sessions, and rows of the audit log. */
import { describeBurst } from '../load/burst.ts';
import { inTurns } from '../load/agents.ts';
import { callApi } from '../../support/http/call-api.ts';
import { measureBurst } from '../measure/measured-burst.ts';
import { compareRounds, compareWithBound } from '../report/compare.ts';
import { quantile } from '../report/statistics.ts';
import type { Line, Row } from '../row.ts';
import type { Bench } from '../stage/bench.ts';
import { addSessionRows, fillAudit } from '../stage/grow.ts';
import type { Stage, Wallet } from '../stage/open-stage.ts';

const CLIENTS = 256;
const REQUESTS = 1_000;
const SESSIONS = { few: 10, many: 10_000 } as const;
const SPREAD = { wallets: 10, sessionsEach: 50 } as const;
const AUDIT = { few: 1_000, many: 1_000_000 } as const;
const QUICK_PART = 10;
const READS = 200;
/** One owner reads its log more often than the api allows by default. */
const UNLIMITED = { RATE_PER_SECOND: '100000', RATE_BURST: '100000' } as const;
const MOST = { atMost: 1.2 } as const;
const PAGES = { first: '', deny: '?decision=deny' } as const;
type Page = keyof typeof PAGES;

export const growth: Row = {
  id: 'growth',
  lines: ['sessions', 'sessions-spread', ...Object.keys(PAGES).map((page) => `audit-${page}`)],
  limitMinutes: 10,
  run: async (bench) => {
    bench.progress('starting a system with 10 sessions');
    await using stage = await bench.open({
      name: 'growth',
      wallets: 1,
      sessionsEach: SESSIONS.few,
      system: { env: { api: UNLIMITED } },
    });
    return [...(await growSessions(bench, stage)), ...(await growAudit(bench, stage))];
  },
};

async function growSessions(bench: Bench, stage: Stage): Promise<readonly Line[]> {
  const part = bench.isQuick ? QUICK_PART : 1;
  const load = { requests: REQUESTS / (bench.isQuick ? 4 : 1), clients: CLIENTS };
  const secondsPerSpend = async (agents = stage.agents): Promise<number[]> => {
    const rounds: number[] = [];
    for (let round = 1; round <= bench.rounds; round += 1) {
      const one = await measureBurst(stage, load, { ...stage, agents });
      bench.progress(`growth of sessions: ${describeBurst(one)}`);
      rounds.push(1 / one.confirmedPerSecond);
    }
    return rounds;
  };
  // A process that has just started compiles its code during its first spends.
  await measureBurst(stage, load);
  const few = await secondsPerSpend();
  await addSessionRows(stage.system.databaseUrl, (SESSIONS.many - SESSIONS.few) / part);
  bench.progress(`grew to ${SESSIONS.many / part} sessions`);
  const many = await secondsPerSpend();
  const spreadOver = await stage.addWallets(SPREAD.wallets, SPREAD.sessionsEach);
  bench.progress(`added ${SPREAD.wallets * SPREAD.sessionsEach} sessions to spread a burst over`);
  const spread = await secondsPerSpend(inTurns(spreadOver));
  return [
    compareRounds(
      {
        id: 'sessions',
        what: 'seconds for each spend of the same burst, with 10 000 sessions and with 10',
        unit: 's',
      },
      { ours: many, reference: few },
      MOST,
    ),
    compareWithBound(
      { id: 'sessions-spread', what: 'the same burst spread over 500 of them', unit: 's' },
      spread,
      null,
    ),
  ];
}

async function growAudit(bench: Bench, stage: Stage): Promise<readonly Line[]> {
  const { databaseUrl } = stage.system;
  const many = AUDIT.many / (bench.isQuick ? QUICK_PART : 1);
  const [reader] = await stage.addWallets(1, SESSIONS.few);
  if (reader === undefined) throw new RangeError('no wallet was added');
  await fillAudit(databaseUrl, reader.owner.walletId, AUDIT.few);
  const before = await readPages(bench, stage, reader);
  await fillAudit(databaseUrl, reader.owner.walletId, many);
  bench.progress(`the log has grown to ${many} rows`);
  const after = await readPages(bench, stage, reader);
  const line = (page: Page): Line =>
    compareRounds(
      {
        id: `audit-${page}`,
        what: `GET /v1/audit${PAGES[page]}, p50 with 10^6 rows and with 10^3`,
        unit: 'ms',
      },
      { ours: after[page], reference: before[page] },
      MOST,
    );
  return [line('first'), line('deny')];
}

/** Median milliseconds of one read after the other, by page, for each round. */
async function readPages(
  bench: Bench,
  { system }: Stage,
  { owner }: Wallet,
): Promise<Record<Page, number[]>> {
  const rounds: Record<Page, number[]> = { first: [], deny: [] };
  for (let round = 0; round <= bench.rounds; round += 1) {
    for (const page of ['first', 'deny'] as const) {
      const latenciesMs: number[] = [];
      for (let read = 1; read <= READS; read += 1) {
        const startedMs = performance.now();
        const { status } = await callApi(system, 'GET', `/v1/audit${PAGES[page]}`, {
          headers: { cookie: owner.cookie },
        });
        if (status !== 200) throw new Error(`the log was refused with ${status}`);
        latenciesMs.push(performance.now() - startedMs);
      }
      // Round 0 warms up.
      if (round > 0) rounds[page].push(quantile(latenciesMs, 0.5));
    }
  }
  return rounds;
}
