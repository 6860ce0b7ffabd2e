import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { Database } from '@agent-wallet/db';
import { endsWithin, type Logger } from '@agent-wallet/process';
import { type OpenedLane, openLanes } from '@agent-wallet/spend';
import type { Metrics } from '../metrics.ts';
import { MAX_CLAIMS_PER_RUN, type RunLane } from './run-lane.ts';

const LEASE_MS = 10_000;
const LANES_AT_ONCE = 64;
/** Then the lanes that have waited longest come first again. */
const MAX_ROUNDS_PER_RUN = 16;
/** How long a run waits for its slowest lane. */
const PATIENCE_MS = 500;
/** The sweep's interval: until then it nudges the same lanes for the other workers. */
const AWAY_PAUSE_MS = 2_000;

type WalletDeps = {
  readonly db: Database;
  readonly runLane: RunLane;
  readonly nudge: (walletId: string) => Promise<void>;
  readonly log: Logger;
  readonly metrics: Pick<Metrics, 'faults'>;
  /** Waits, in milliseconds; given in tests. */
  readonly pause?: (delayMs: number) => Promise<unknown>;
};

/** `rest` ends with the lanes that the run did not wait for, and with all first sends. */
type WalletRun = { readonly rest: Promise<unknown> };
export type RunWallet = (walletId: string) => Promise<WalletRun>;

/** Lanes that were opened together. After `isLeft` each nudges the wallet when it ends. */
type Round = { readonly sends: Promise<void>[]; isLeft: boolean; isMore: boolean };

/**
 * Runs all free lanes of a wallet that have queued spends, side by side, each lane once. A lane
 * that fails or is slow harms no other: the run does not wait longer than half a second for it, so
 * that the next nudge of the wallet finds its other lanes. That nudge may have been meant for the
 * slow lane and have found it held, so the lane nudges again when it ends.
 *
 * A worker whose calls to the chain fail at once would take every job. After a lane that ended so,
 * its runs open no lane for two seconds. A call that is lost costs its own lanes a run and no more.
 */
export function createRunWallet(deps: WalletDeps): RunWallet {
  const { db, runLane, nudge, log, metrics, pause = delay } = deps;
  let awayUntilMs = 0;

  async function runOne(opened: OpenedLane, round: Round): Promise<void> {
    try {
      const { end, sends } = await runLane(opened);
      round.sends.push(sends);
      if (end === 'more') round.isMore = true;
      if (end === 'away') awayUntilMs = performance.now() + AWAY_PAUSE_MS;
    } catch (error) {
      metrics.faults.inc({ stage: 'run' });
      log.error({ sessionId: opened.lane.sessionId, err: error }, 'a lane could not be run');
    }
    if (round.isLeft) await nudge(opened.lane.walletId);
  }

  return async (walletId) => {
    const awayMs = awayUntilMs - performance.now();
    if (awayMs > 0) await pause(awayMs);
    const lease = { walletId, holder: randomUUID(), leaseMs: LEASE_MS, most: LANES_AT_ONCE };
    const rest: Promise<unknown>[] = [];
    let after = 0n;
    let isMore = false;
    for (let rounds = 0; rounds < MAX_ROUNDS_PER_RUN; rounds += 1) {
      const lanes = await openLanes(db, { ...lease, after, limit: MAX_CLAIMS_PER_RUN });
      const round: Round = { sends: [], isLeft: false, isMore: false };
      const runs = Promise.all(lanes.map((opened) => runOne(opened, round)));
      rest.push(runs.then(() => Promise.all(round.sends)));
      round.isLeft = !(await endsWithin(runs, PATIENCE_MS));
      isMore ||= round.isMore;
      after = lanes.at(-1)?.waitsFrom ?? after;
      if (lanes.length < LANES_AT_ONCE) break;
    }
    if (isMore) await nudge(walletId);
    return { rest: Promise.all(rest) };
  };
}
