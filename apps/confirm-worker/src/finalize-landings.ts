import type { Rpc } from '@agent-wallet/chain';
import type { Database } from '@agent-wallet/db';
import type { Logger } from '@agent-wallet/process';
import { finalizeSpends, listUnfinalized } from '@agent-wallet/spend';
import type { Metrics } from './metrics.ts';

const BATCH = 256;
const SETTLED_MS_AGO = 1_000;
const LOOK_EVERY_MS = 1_000;

type FinalizeDeps = {
  readonly db: Database;
  readonly rpc: Pick<Rpc, 'signatureStatuses'>;
  readonly log: Logger;
  readonly metrics: Metrics;
};

/**
 * One pass over landed spends that are not final: marks those that the chain has finalized with the
 * outcome that was written. Another outcome is an alert and changes nothing here.
 */
export function createFinalizeLandings(deps: FinalizeDeps): () => Promise<number> {
  return async () => {
    const landed = await listUnfinalized(deps.db, { settledMsAgo: SETTLED_MS_AGO, limit: BATCH });
    if (landed.length === 0) return LOOK_EVERY_MS;
    const signatures = landed.map(({ txSignature }) => txSignature);
    const { statuses } = await deps.rpc.signatureStatuses(signatures, { searchHistory: true });
    const final = landed.filter((spend, index) => {
      const status = statuses[index] ?? null;
      if (status?.confirmationStatus !== 'finalized') return false;
      if ((status.err !== null) === spend.landedError) return true;
      deps.metrics.alerts.inc({ kind: 'final_outcome_differs' });
      deps.log.error({ spendId: spend.spendId }, 'the final outcome is not the confirmed one');
      return false;
    });
    await finalizeSpends(
      deps.db,
      final.map(({ spendId }) => spendId),
    );
    return LOOK_EVERY_MS;
  };
}
