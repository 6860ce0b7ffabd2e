import type { Database } from '@agent-wallet/db';
import type { Logger } from '@agent-wallet/process';
import { settleAttempts, type SettledSpend, type Settlement } from '@agent-wallet/spend';
import type { Metrics } from './metrics.ts';

export type SettleDeps = {
  readonly db: Database;
  readonly nudge: (walletId: string) => Promise<void>;
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

export type Written = {
  /** Spends that changed state. */
  readonly moved: readonly SettledSpend[];
  /** Settlements whose wallet is busy: their attempts should be looked at again soon. */
  readonly busy: readonly Settlement[];
  /** Settlements that could not be written. */
  readonly failed: readonly Settlement[];
};

/**
 * Writes the outcomes of attempts and notifies the api's waiting requests, then nudges the wallets
 * whose lanes have waited for them. A row that cannot be written is logged and left open.
 */
export async function settle(
  deps: SettleDeps,
  settlements: readonly Settlement[],
): Promise<Written> {
  if (settlements.length === 0) return { moved: [], busy: [], failed: [] };
  const busy: Settlement[] = [];
  const failed: Settlement[] = [];
  const settled = await settleAttempts(deps.db, settlements, {
    onSettled: async (written) => {
      for (const spend of written) report(deps, spend);
      // After the commit: the lane may have waited for exactly this.
      const waiting = written.filter(({ hasQueued }) => hasQueued);
      const wallets = new Set(waiting.map(({ walletId }) => walletId));
      await Promise.all([...wallets].map((walletId) => deps.nudge(walletId)));
    },
    onFailure: (settlement, error) => {
      failed.push(settlement);
      deps.log.error(
        { spendId: settlement.spendId, err: error },
        'an outcome could not be written',
      );
    },
    onBusy: (waiting, error) => {
      busy.push(...waiting);
      const [first] = waiting;
      const context = { walletId: first?.walletId, outcomes: waiting.length, err: error };
      deps.log.warn(context, 'outcomes of a busy wallet are written later');
    },
  });
  return { moved: settled.filter(({ transition }) => transition !== null), busy, failed };
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
