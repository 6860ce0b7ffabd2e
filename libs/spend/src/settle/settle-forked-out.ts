import type { SqlTransaction } from '@agent-wallet/db';
import { sql } from 'slonik';
import { z } from 'zod';
import { REFUSALS, spendColumns, spendRow } from '../spend.ts';
import { correctSpend } from './correct-spend.ts';

/**
 * The chain has given a landing up. `expired`: attempt `attemptNo` provably never landed, by the
 * finalized session account itself; this says the same of every attempt with an earlier last valid
 * height. `failed`: the very transaction that was taken for the landing is final, and failed.
 */
export type GivenUp = { readonly spendId: string; readonly detail: string } & (
  | { readonly why: 'expired'; readonly attemptNo: number }
  | { readonly why: 'failed'; readonly signature: string }
);

/**
 * Takes a confirmation back: the spend is refused, with a correction beside the decision that
 * stays. Nothing is signed again, because the caller has a 200 for it. A finalized row is
 * never touched.
 */
export async function settleForkedOut(
  tx: SqlTransaction,
  given: GivenUp,
): Promise<'forked_out' | null> {
  const isGivenUp =
    given.why === 'failed'
      ? sql.fragment`tx_signature = ${given.signature}`
      : sql.fragment`(
          select bool_or(attempt.signature = spend.tx_signature)
            and bool_and(attempt.session_index = told.session_index
              and attempt.last_valid_block_height <= told.last_valid_block_height)
          from attempt
          join attempt as told on told.spend_id = attempt.spend_id
            and told.attempt = ${given.attemptNo}
          where attempt.spend_id = spend.spend_id
        )`;
  const spend = await tx.maybeOne(sql.type(spendRow.extend({ gone: z.string() }))`
    with before as (
      select spend_id, tx_signature as gone from spend
      where spend_id = ${given.spendId}::uuid and status = 'confirmed' and ${isGivenUp}
      for update
    )
    update spend
    set status = 'rejected', code = ${REFUSALS.forkedOut}, detail = ${given.detail},
      tx_signature = null, landed_slot = null, landed_error = null, event_joined_at = null
    from before
    where spend.spend_id = before.spend_id
    returning ${spendColumns}, before.gone
  `);
  if (spend === null) return null;
  await correctSpend(tx, spend, {
    decision: 'deny',
    reason: REFUSALS.forkedOut,
    detail: given.detail,
    txSignature: null,
    detailSignature: spend.gone,
  });
  return 'forked_out';
}

/** A failure was seen and is gone again: nothing landed. The decision is already a denial. */
export async function settleRevertGone(
  tx: SqlTransaction,
  { spendId, attemptNo }: { readonly spendId: string; readonly attemptNo: number },
): Promise<void> {
  await tx.query(sql.unsafe`
    update spend set status = 'rejected', finalized_at = now()
    where spend_id = ${spendId}::uuid and status = 'reverted' and attempt = ${attemptNo}
  `);
}
