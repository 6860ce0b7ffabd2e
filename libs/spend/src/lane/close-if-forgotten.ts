import { closeIntake, type Database } from '@agent-wallet/db';
import { sql } from 'slonik';

/**
 * Closes intake as of `height` if the chain has executed a number of the session that this database
 * never assigned. Returns whether it did.
 *
 * `highestSeq` must have been read from the chain before the call. A number is committed before its
 * bytes are sent, so a counter that is read later is past every number that the chain showed, also
 * when other workers have claimed meanwhile. A counter from before would prove nothing.
 */
export async function closeIfForgotten(
  db: Database,
  {
    sessionId,
    highestSeq,
    height,
  }: { readonly sessionId: string; readonly highestSeq: bigint; readonly height: bigint },
): Promise<boolean> {
  return closeIntake(db, {
    height,
    reason: 'a sequence number on chain was forgotten',
    onlyIf: sql.fragment`exists (
      select from session where session_id = ${sessionId}::uuid and next_seq <= ${highestSeq}
    )`,
  });
}
