/** Refusals by an off-chain rule, each with its row in the audit log, beside a bare route. */
import { describeBurst, sendBurst } from '../load/burst.ts';
import { inTurns } from '../load/agents.ts';
import { openPlainRefusal } from '../reference/open-plain-refusal.ts';
import { compareRounds } from '../report/compare.ts';
import type { Row } from '../row.ts';
import { closeWindow } from '../stage/close-window.ts';

const WALLETS = 5;
const SESSIONS_EACH = 20;
const CLIENTS = 64;
const REQUESTS = 5_000;
const QUICK_REQUESTS = 1_000;
const REFUSED = '403 OUTSIDE_TIME_WINDOW';

export const refusals: Row = {
  id: 'refusals',
  lines: [],
  limitMinutes: 5,
  run: async (bench) => {
    const stage = await bench.shared();
    bench.progress('adding wallets whose time window is closed');
    const wallets = await stage.addWallets(WALLETS, SESSIONS_EACH);
    for (const wallet of wallets) await closeWindow(wallet);
    await using bare = await openPlainRefusal(stage.system.databaseUrl);
    const targets = {
      ours: { ...stage, agents: inTurns(wallets) },
      reference: { urls: bare.urls, agents: bare.agents },
    };
    const load = { requests: bench.isQuick ? QUICK_REQUESTS : REQUESTS, clients: CLIENTS };
    const rates: Record<keyof typeof targets, number[]> = { ours: [], reference: [] };
    for (let round = 1; round <= bench.rounds; round += 1) {
      for (const side of ['ours', 'reference'] as const) {
        const one = await sendBurst(targets[side], load);
        bench.progress(
          `refusals, round ${round} of ${bench.rounds}: ${side} ${describeBurst(one)}`,
        );
        rates[side].push((one.replies[REFUSED] ?? 0) / one.seconds);
      }
    }
    const naming = { id: 'refusals', what: 'off-chain refusals', unit: '/s' };
    return [compareRounds(naming, rates, { atLeast: 0.6 })];
  },
};
