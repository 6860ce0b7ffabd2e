import type { Database } from '@agent-wallet/db';
import type { Logger } from '@agent-wallet/process';
import {
  announceSettled,
  settleAttempts,
  type SettledSpend,
  type Settlement,
} from '@agent-wallet/spend';
import type { Metrics } from './metrics.ts';

export type SettleDeps = {
  readonly db: Database;
  readonly nudge: (sessionId: string) => Promise<void>;
  readonly log: Logger;
  readonly metrics: Metrics;
};

/** Transitions that correct an outcome already reported to a caller, with the alert of each. */
const CORRECTIONS = {
  corrected: {
    kind: 'landed_after_refusal',
    sentence: 'a refused spend landed after all; the log has a correction',
  },
  forked_out: {
    kind: 'forked_out',
    sentence: 'a confirmed spend provably never landed; the log has a correction',
  },
} as const;

/**
 * Writes the outcomes of attempts, then notifies the api's waiting requests and nudges the lanes.
 * Returns the spends that changed state. A row that cannot be written is logged and left open.
 */
export async function settle(
  deps: SettleDeps,
  settlements: readonly Settlement[],
): Promise<readonly SettledSpend[]> {
  if (settlements.length === 0) return [];
  const settled = await settleAttempts(deps.db, settlements, ({ spendId }, error) => {
    deps.log.error({ spendId, err: error }, 'an outcome could not be written');
  });
  const moved = settled.filter(({ transition }) => transition !== null);
  for (const spend of moved) report(deps, spend);
  await announceSettled(
    deps.db,
    moved.filter(({ transition }) => transition !== 'requeued').map(({ spendId }) => spendId),
  );
  // After the commit: the lane may have waited for exactly this.
  const sessions = new Set(moved.map(({ sessionId }) => sessionId));
  await Promise.all([...sessions].map((sessionId) => deps.nudge(sessionId)));
  return moved;
}

function report({ log, metrics }: SettleDeps, { spendId, transition }: SettledSpend): void {
  if (transition === null) return;
  metrics.settled.inc({ transition });
  if (transition === 'corrected' || transition === 'forked_out') {
    const { kind, sentence } = CORRECTIONS[transition];
    metrics.alerts.inc({ kind });
    log.error({ spendId }, sentence);
  }
  log.info({ spendId, transition }, 'spend settled');
}
