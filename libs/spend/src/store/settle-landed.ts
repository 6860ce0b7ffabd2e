import { appendAudit } from '@agent-wallet/audit';
import type { SqlTransaction } from '@agent-wallet/db';
import { sql } from 'slonik';
import { z } from 'zod';
import { type Spend, spendColumns, spendRow } from '../spend.ts';
import { auditFacts, denySpend } from './deny-spend.ts';

type LandedOk = {
  readonly spendId: string;
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
  const before = await tx.one(sql.type(statusRow)`
    select status, landed_error as "landedError" from spend
    where spend_id = ${landed.spendId}::uuid for update
  `);
  if (before.status === 'confirmed' || before.status === 'finalized') return null;
  const spend = await tx.one(sql.type(spendRow)`
    update spend
    set status = 'confirmed', tx_signature = ${landed.signature}, landed_slot = ${landed.slot},
      landed_error = false, code = null, detail = null, settled_at = coalesce(settled_at, now())
    where spend_id = ${landed.spendId}::uuid
    returning ${spendColumns}
  `);
  await raiseSettledSlot(tx, spend, landed.slot);
  if (before.status === 'queued' || before.status === 'in_flight') {
    await allowSpend(tx, spend, { correction: 0, reason: null });
    return 'confirmed';
  }
  const reason = before.landedError === true ? 'LANDED_AFTER_REVERT' : 'LANDED_AFTER_REJECT';
  await allowSpend(tx, spend, { correction: await nextCorrection(tx, spend.spendId), reason });
  return 'corrected';
}

/**
 * A landing that failed. It settles the spend only when no newer attempt is under way: the newer
 * one carries the same sequence number and tells by itself.
 */
export async function settleLandedError(
  tx: SqlTransaction,
  landed: LandedOk & { readonly attemptNo: number; readonly code: string; readonly detail: string },
): Promise<'reverted' | null> {
  const spend = await tx.maybeOne(sql.type(spendRow)`
    update spend
    set status = 'reverted', tx_signature = ${landed.signature}, landed_slot = ${landed.slot},
      landed_error = true, code = ${landed.code}, detail = ${landed.detail}, settled_at = now()
    where spend_id = ${landed.spendId}::uuid
      and status = 'in_flight' and attempt = ${landed.attemptNo}
    returning ${spendColumns}
  `);
  if (spend === null) return null;
  await raiseSettledSlot(tx, spend, landed.slot);
  await denySpend(tx, spend, {
    reason: landed.code,
    detail: landed.detail,
    detailSignature: landed.signature,
  });
  return 'reverted';
}

const statusRow = spendRow.pick({ status: true }).extend({ landedError: z.boolean().nullable() });

async function allowSpend(
  tx: SqlTransaction,
  spend: Spend,
  { correction, reason }: { readonly correction: number; readonly reason: string | null },
): Promise<void> {
  await appendAudit(tx, spend.walletId, [
    {
      ...auditFacts(spend),
      correction,
      decision: 'allow',
      reason,
      detail: null,
      txSignature: spend.txSignature,
      detailSignature: null,
    },
  ]);
}

async function nextCorrection(tx: SqlTransaction, spendId: string): Promise<number> {
  return tx.oneFirst(sql.type(z.object({ next: z.number() }))`
    select coalesce(max(correction) + 1, 1) as next from audit where spend_id = ${spendId}::uuid
  `);
}

/** Balances read before this slot are too old for this wallet from now on. */
async function raiseSettledSlot(tx: SqlTransaction, spend: Spend, slot: bigint): Promise<void> {
  await tx.query(sql.unsafe`
    update wallet set last_settled_slot = greatest(last_settled_slot, ${slot})
    where wallet_id = ${spend.walletId}::uuid
  `);
}
