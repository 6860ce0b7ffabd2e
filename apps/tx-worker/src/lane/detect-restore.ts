import type { Rpc, SessionState } from '@agent-wallet/chain';
import type { Database } from '@agent-wallet/db';
import type { Logger } from '@agent-wallet/process';
import { closeIfForgotten, type Lane } from '@agent-wallet/spend';
import type { Metrics } from '../metrics.ts';

export type DetectRestore = (
  lane: Pick<Lane, 'sessionId' | 'nextSeq'>,
  view: { readonly session: Pick<SessionState, 'replay'> },
) => Promise<boolean>;

/**
 * Returns whether the session account has a sequence number that this database never assigned:
 * a restored database lacks rows. If so, closes intake for acceptance and every lane; the
 * confirm-worker opens it again. A number above that of the lane alone is no finding, because the
 * lane was read before the account and another worker may have claimed in between.
 */
export function createDetectRestore({
  db,
  rpc,
  log,
  metrics,
}: {
  readonly db: Database;
  readonly rpc: Pick<Rpc, 'heightAndSlot'>;
  readonly log: Logger;
  readonly metrics: Pick<Metrics, 'restoresNoticed'>;
}): DetectRestore {
  return async ({ sessionId, nextSeq }, { session }) => {
    const { highestSeq } = session.replay;
    if (highestSeq < nextSeq) return false;
    // A transaction signed before now is valid for at most 150 blocks from this height.
    const { blockHeight: height } = await rpc.heightAndSlot('confirmed');
    if (!(await closeIfForgotten(db, { sessionId, highestSeq, height }))) return false;
    metrics.restoresNoticed.inc();
    log.error({ sessionId }, 'the chain has a sequence number that the database never assigned');
    return true;
  };
}
