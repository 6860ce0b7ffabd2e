import type { SqlTransaction } from '@agent-wallet/db';
import { sql } from 'slonik';
import { isYoung, REFUSALS, spendColumns, spendRow } from '../spend.ts';
import { denySpend } from '../accept/deny-spend.ts';
import { settleForkedOut, settleRevertGone } from './settle-forked-out.ts';

type Expired = {
  readonly spendId: string;
  readonly attemptNo: number;
  /** The finalized session account itself is the proof, not what a history does not show. */
  readonly isFinal?: boolean | undefined;
};

/**
 * The chain has proven that an attempt can never land. A young spend whose newest attempt this was
 * goes back to its lane; an older one is refused, and so is one that a facilitator was to send,
 * because that is signed once. A confirmed one was forked out. Any other row has
 * moved on without it.
 */
export async function settleExpired(
  tx: SqlTransaction,
  expired: Expired,
): Promise<'requeued' | 'rejected' | 'forked_out' | null> {
  const requeued = await tx.maybeOne(sql.unsafe`
    update spend set status = 'queued', tx_signature = null
    where spend_id = ${expired.spendId}::uuid
      and status = 'in_flight' and attempt = ${expired.attemptNo}
      and broadcaster = 'worker' and ${isYoung}
    returning 1 as one
  `);
  if (requeued !== null) return 'requeued';
  return settleNeverLands(tx, expired, 'the transaction expired and provably never landed');
}

/**
 * Nothing of this spend can land any more and nothing is signed again: it is refused. The code says
 * whether its bytes were a facilitator's to settle.
 */
export async function settleNeverLands(
  tx: SqlTransaction,
  expired: Expired,
  detail: string,
): Promise<'rejected' | 'forked_out' | null> {
  const spend = await tx.maybeOne(sql.type(spendRow)`
    update spend
    set status = 'rejected', detail = ${detail}, tx_signature = null, settled_at = now(),
      code = case when released_at is null then ${REFUSALS.neverLanded}
        else ${REFUSALS.notSettled} end
    where spend_id = ${expired.spendId}::uuid
      and status = 'in_flight' and attempt = ${expired.attemptNo}
    returning ${spendColumns}
  `);
  if (spend !== null) {
    await denySpend(tx, spend, { reason: spend.code ?? REFUSALS.neverLanded, detail });
    return 'rejected';
  }
  if (expired.isFinal !== true) return null;
  const { spendId, attemptNo } = expired;
  await settleRevertGone(tx, { spendId, attemptNo });
  return settleForkedOut(tx, { spendId, why: 'expired', attemptNo, detail });
}
