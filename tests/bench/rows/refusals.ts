/** Refusals by an off-chain rule, each with its row in the audit log, beside a bare route. */
import { describeBurst, sendBurst } from '../load/burst.ts';
import { inTurns } from '../load/agents.ts';
import { callApi } from '../../support/http/call-api.ts';
import { openPlainRefusal } from '../reference/open-plain-refusal.ts';
import { compareRounds } from '../report/compare.ts';
import type { Row } from '../row.ts';
import type { Stage, Wallet } from '../stage/open-stage.ts';

const WALLETS = 5;
const SESSIONS_EACH = 20;
const CLIENTS = 64;
const REQUESTS = 5_000;
const QUICK_REQUESTS = 1_000;
const DAYS_AHEAD = 3;
const REFUSED = '403 OUTSIDE_TIME_WINDOW';

export const refusals: Row = {
  id: 'refusals',
  lines: [],
  limitMinutes: 5,
  run: async (bench) => {
    const stage = await bench.shared();
    bench.progress('adding wallets whose time window is closed');
    const wallets = await stage.addWallets(WALLETS, SESSIONS_EACH);
    for (const wallet of wallets) await closeWindow(stage, wallet);
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

async function closeWindow({ system }: Stage, { owner }: Wallet): Promise<void> {
  const { status } = await callApi(system, 'PUT', '/v1/wallet/policy', {
    headers: { cookie: owner.cookie },
    body: { url_allowlist: [], time_window: openInDays(DAYS_AHEAD) },
  });
  if (status !== 200) throw new Error(`the policy was refused with ${status}`);
}

/** A time window that is open on one day a week, that many days from now. */
function openInDays(days: number): object {
  const dayFromMonday = (new Date().getUTCDay() + 6 + days) % 7;
  return { start_min: 0, end_min: 1_439, days: 1 << dayFromMonday, timezone: 'UTC' };
}
