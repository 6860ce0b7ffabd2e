/** One wallet with 50 sessions beside 50 wallets with one: the cost of the wallet's one audit log. */
import { describeBurst } from '../load/burst.ts';
import { inTurns } from '../load/agents.ts';
import { measureBurst, type MeasuredBurst } from '../measure/measured-burst.ts';
import { compareRounds } from '../report/compare.ts';
import type { Row } from '../row.ts';

const SESSIONS = 50;
const CLIENTS = 200;
const REQUESTS = 1_000;
const QUICK_REQUESTS = 300;

export const oneWallet: Row = {
  id: 'one-wallet',
  lines: [],
  limitMinutes: 6,
  run: async (bench) => {
    const stage = await bench.shared();
    bench.progress('adding a wallet with 50 sessions and 50 wallets with one');
    const [wallet, wallets] = [
      await stage.addWallets(1, SESSIONS),
      await stage.addWallets(SESSIONS, 1),
    ];
    const targets = {
      ours: { ...stage, agents: inTurns(wallet) },
      reference: { ...stage, agents: inTurns(wallets) },
    };
    const load = { requests: bench.isQuick ? QUICK_REQUESTS : REQUESTS, clients: CLIENTS };
    const ours: MeasuredBurst[] = [];
    const reference: MeasuredBurst[] = [];
    for (let round = 1; round <= bench.rounds; round += 1) {
      const say = (text: string): void => {
        bench.progress(`one wallet, round ${round} of ${bench.rounds}: ${text}`);
      };
      const one = await measureBurst(stage, load, targets.ours);
      say(`one wallet ${describeBurst(one)}`);
      ours.push(one);
      const other = await measureBurst(stage, load, targets.reference);
      say(`50 wallets ${describeBurst(other)}`);
      reference.push(other);
    }
    const naming = { id: 'one-wallet', what: 'one wallet, 50 sessions: confirmed', unit: '/s' };
    const rounds = { ours: ours.map(rateOf), reference: reference.map(rateOf) };
    return [compareRounds(naming, rounds, { atLeast: 0.6 })];
  },
};

const rateOf = ({ confirmedPerSecond }: MeasuredBurst): number => confirmedPerSecond;
