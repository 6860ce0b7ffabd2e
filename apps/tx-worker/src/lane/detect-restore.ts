import type { Rpc, SessionState } from '@agent-wallet/chain';
import { type Database, closeIntake } from '@agent-wallet/db';
import type { Logger } from '@agent-wallet/process';
import type { Lane } from '@agent-wallet/spend';
import type { Metrics } from '../metrics.ts';

export type DetectRestore = (
  lane: Pick<Lane, 'sessionId' | 'nextSeq'>,
  view: { readonly session: Pick<SessionState, 'replay'> },
) => Promise<boolean>;

/**
 * Returns whether the session's account has seen a sequence number that this database never issued:
 * a restored database lacks rows. If so, closes intake for acceptance and every lane; the
 * confirm-worker opens it again.
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
    if (session.replay.highestSeq < nextSeq) return false;
    metrics.restoresNoticed.inc();
    log.error({ sessionId }, 'the chain has a sequence number that the database never issued');
    // A transaction signed before now is valid for at most 150 blocks from this height.
    const { blockHeight } = await rpc.heightAndSlot('confirmed');
    await closeIntake(db, {
      height: blockHeight,
      reason: 'a sequence number on chain was forgotten',
    });
    return true;
  };
}
