/**
 * One wallet's transfers while the agents of five others send requests that are refused, as fast as
 * they can, beside the same transfers without them.
 */
import { type Arrived, sendArrivals } from '../load/arrivals.ts';
import { type RefusedRequest, startFlood } from '../load/flood.ts';
import { compareRounds } from '../report/compare.ts';
import { quantile } from '../report/statistics.ts';
import type { Row } from '../row.ts';
import { closeWindow } from '../stage/close-window.ts';
import type { Stage, Wallet } from '../stage/open-stage.ts';

const FLOODING = 5;
const SESSIONS_EACH = 4;
/** Of each kind of refusal. */
const CLIENTS_EACH = 8;
const COUNT = 75;
const QUICK_COUNT = 25;
const WARM_UP = 10;
const SLOT_MS = 400;
const TRANSFER = '/v1/spend/transfer';
const MORE_THAN_THERE_IS = 90_000_000_000_000;

export const flood: Row = {
  id: 'flood',
  lines: [],
  limitMinutes: 8,
  run: async (bench) => {
    bench.progress('starting a system with six wallets');
    const size = { wallets: FLOODING + 1, sessionsEach: SESSIONS_EACH };
    await using stage = await bench.open({ name: 'flood', ...size });
    const [measured, ...flooding] = stage.wallets;
    if (measured === undefined) throw new Error('the stage has no wallet');
    const refused = await requestsOf(stage, flooding);
    const load = {
      count: bench.isQuick ? QUICK_COUNT : COUNT,
      everyMs: SLOT_MS,
      slotMs: SLOT_MS,
    };
    const target = { urls: stage.urls, agents: measured.agents };
    await sendArrivals(target, { ...load, count: WARM_UP });

    const p99s: Record<'quiet' | 'flooded', number[]> = { quiet: [], flooded: [] };
    const note = (side: 'quiet' | 'flooded', { latenciesMs, replies }: Arrived): void => {
      p99s[side].push(quantile(latenciesMs, 0.99));
      const p50 = quantile(latenciesMs, 0.5).toFixed(0);
      bench.progress(
        `${side}: ${JSON.stringify(replies)}, p50 ${p50} ms, p99 ${p99s[side].at(-1)?.toFixed(0)} ms`,
      );
      const failed = Object.keys(replies).filter((kind) => kind !== '200');
      if (failed.length > 0) bench.wrong(`transfers of a wallet failed: ${failed.join(', ')}`);
    };
    for (let round = 1; round <= bench.rounds; round += 1) {
      note('quiet', await sendArrivals(target, load));
      const floods = refused.map((requests) => startFlood(stage.urls, requests, CLIENTS_EACH));
      try {
        note('flooded', await sendArrivals(target, load));
      } finally {
        const replies = await Promise.all(floods.map((one) => one.stop()));
        bench.progress(`the flood got ${JSON.stringify(replies)}`);
      }
    }
    await stage.rest();
    for (const sentence of await stage.findDisagreements()) bench.wrong(sentence);
    const what = 'p99 of one wallet, while five others send refused requests and while they do not';
    const sides = { ours: p99s.flooded, reference: p99s.quiet };
    return [compareRounds({ id: 'flood', what, unit: 'ms' }, sides, { atMost: 2 })];
  },
};

/** Requests of the sessions of the wallets, by the kind of their refusal. */
async function requestsOf(
  stage: Stage,
  [closed, foreign, poor, stranger, unknown]: readonly Wallet[],
): Promise<readonly (readonly RefusedRequest[])[]> {
  const elsewhere = await stage.fixture.createRecipient();
  if (closed !== undefined) await closeWindow(closed);
  return [
    requestsTo(closed, TRANSFER, (recipient) => ({ recipient, amount: 1_000 })),
    requestsTo(foreign, '/v1/spend/sign-payment', (recipient) => ({
      url: 'https://nowhere.example/paid',
      recipient,
      amount: 1_000,
    })),
    requestsTo(poor, TRANSFER, (recipient) => ({ recipient, amount: MORE_THAN_THERE_IS })),
    requestsTo(stranger, TRANSFER, () => ({ recipient: elsewhere, amount: 1_000 })),
    requestsTo(unknown, '/v1/spend/service', () => ({
      slug: 'nothing',
      path: '/',
      body: {},
      max_amount: 1_000,
    })),
    // After the first one, all are replays.
    requestsTo(unknown, TRANSFER, (recipient) => ({ recipient, amount: 1_000 })).map((request) => ({
      ...request,
      headers: { 'idempotency-key': 'flood' },
    })),
  ];
}

function requestsTo(
  wallet: Wallet | undefined,
  path: string,
  bodyFor: (recipient: string) => object,
): readonly RefusedRequest[] {
  return (wallet?.agents ?? []).map(({ apiKey, recipient }) => ({
    apiKey,
    path,
    body: bodyFor(recipient),
  }));
}
