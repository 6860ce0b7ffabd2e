import type { Rpc } from '@agent-wallet/chain';
import { type Database, shut } from '@agent-wallet/db';
import type { Logger } from '@agent-wallet/process';
import type { Metrics } from '../metrics.ts';

/**
 * A session's account has seen a sequence number that this database never gave out: rows are
 * missing. Shuts acceptance and every lane as of now; the confirm-worker opens them again.
 */
export function createShutAsRestored({
  db,
  rpc,
  log,
  metrics,
}: {
  readonly db: Database;
  readonly rpc: Pick<Rpc, 'heightAndSlot'>;
  readonly log: Logger;
  readonly metrics: Pick<Metrics, 'restoresNoticed'>;
}): (sessionId: string) => Promise<void> {
  return async (sessionId) => {
    metrics.restoresNoticed.inc();
    log.error({ sessionId }, 'the chain has seen a sequence number that the database forgot');
    // Whatever was signed before is valid for 150 blocks from here at most.
    const { blockHeight } = await rpc.heightAndSlot('confirmed');
    await shut(db, { height: blockHeight, reason: 'a sequence number on chain was forgotten' });
  };
}
