import { appendAudit } from '@agent-wallet/audit';
import type { SqlTransaction } from '@agent-wallet/db';
import { sql } from 'slonik';
import { z } from 'zod';
import { type Spend, spendColumns, spendRow } from '../spend.ts';
import { correctSpend } from './correct-spend.ts';
import { auditFacts, denySpend } from '../accept/deny-spend.ts';
import { settleForkedOut } from './settle-forked-out.ts';

type LandedOk = {
  readonly spendId: string;
  /** The watched attempt; the landing may be another's. */
  readonly attemptNo: number;
  readonly signature: string;
  readonly slot: bigint;
};

/**
 * A landing that succeeded: the money moved, whatever the row says. An open spend is confirmed; a
 * refused one is confirmed too, with a correction in the log beside the decision that stays.
 */
export async function settleLandedOk(
  tx: SqlTransaction,
  landed: LandedOk,
): Promise<'confirmed' | 'corrected' | null> {
  const before = await tx.one(sql.type(landedBefore)`
    select status, tx_signature as "txSignature", landed_error as "landedError", exists (
        select 1 from attempt
        where attempt.spend_id = spend.spend_id and attempt = ${landed.attemptNo}
          and signature = tx_signature
      ) as "isOfAttempt"
    from spend where spend_id = ${landed.spendId}::uuid for update
  `);
  if (before.status === 'finalized') return null;
  if (before.status === 'confirmed') {
    if (before.txSignature === landed.signature) return moveLanding(tx, landed);
    // Only a search for the old landing that found this one instead proves that the old is gone.
    if (!before.isOfAttempt) return null;
    const { spendId, signature } = landed;
    const detail = `its landing is gone from the chain; it landed as ${signature}`;
    const why = { why: 'failed', signature: before.txSignature ?? '' } as const;
    await settleForkedOut(tx, { spendId, detail, ...why });
  }
  const spend = await tx.one(sql.type(spendRow)`
    update spend
    set status = 'confirmed', tx_signature = ${landed.signature}, landed_slot = ${landed.slot},
      landed_error = false, code = null, detail = null, event_joined_at = null,
      settled_at = coalesce(settled_at, now())
    where spend_id = ${landed.spendId}::uuid
    returning ${spendColumns}
  `);
  await raiseSettledSlot(tx, spend, landed.slot);
  const told = { txSignature: spend.txSignature, detail: null, detailSignature: null };
  if (before.status === 'queued' || before.status === 'in_flight') {
    const decision = { decision: 'allow', reason: null, correction: 0 } as const;
    await appendAudit(tx, spend.walletId, [{ ...auditFacts(spend), ...decision, ...told }]);
    return 'confirmed';
  }
  const reason = before.landedError === true ? 'LANDED_AFTER_REVERT' : 'LANDED_AFTER_REJECT';
  await correctSpend(tx, spend, { decision: 'allow', reason, ...told });
  return 'corrected';
}

/** After a fork the same bytes may stand in a later slot: balances read before it are too old. */
async function moveLanding(tx: SqlTransaction, { spendId, slot }: LandedOk): Promise<null> {
  const spend = await tx.maybeOne(sql.type(spendRow)`
    update spend set landed_slot = ${slot}
    where spend_id = ${spendId}::uuid and status = 'confirmed' and landed_slot < ${slot}
    returning ${spendColumns}
  `);
  if (spend !== null) await raiseSettledSlot(tx, spend, slot);
  return null;
}

/**
 * A landing that failed. It settles the spend only when no newer attempt is under way: the newer
 * one carries the same sequence number and is settled by itself. When it is final and was taken for
 * a success, the confirmation is taken back.
 */
export async function settleLandedError(
  tx: SqlTransaction,
  landed: LandedOk & {
    readonly code: string;
    readonly detail: string;
    readonly isFinal?: boolean | undefined;
  },
): Promise<'reverted' | 'forked_out' | null> {
  const spend = await tx.maybeOne(sql.type(spendRow)`
    update spend
    set status = 'reverted', tx_signature = ${landed.signature}, landed_slot = ${landed.slot},
      landed_error = true, code = ${landed.code}, detail = ${landed.detail}, settled_at = now()
    where spend_id = ${landed.spendId}::uuid
      and status = 'in_flight' and attempt = ${landed.attemptNo}
    returning ${spendColumns}
  `);
  if (spend === null) {
    if (landed.isFinal !== true) return null;
    const { spendId, signature } = landed;
    const detail = `its transaction failed on the final fork: ${landed.detail}`;
    return settleForkedOut(tx, { spendId, why: 'failed', signature, detail });
  }
  await raiseSettledSlot(tx, spend, landed.slot);
  await denySpend(tx, spend, {
    reason: landed.code,
    detail: landed.detail,
    detailSignature: landed.signature,
  });
  return 'reverted';
}

const landedBefore = spendRow
  .pick({ status: true, txSignature: true })
  .extend({ landedError: z.boolean().nullable(), isOfAttempt: z.boolean() });

/** Balances read before this slot are too old for this wallet from now on. */
async function raiseSettledSlot(tx: SqlTransaction, spend: Spend, slot: bigint): Promise<void> {
  await tx.query(sql.unsafe`
    update wallet set last_settled_slot = greatest(last_settled_slot, ${slot})
    where wallet_id = ${spend.walletId}::uuid
  `);
}
