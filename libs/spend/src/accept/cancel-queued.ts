import type { Database } from '@agent-wallet/db';
import { sql } from 'slonik';
import { REFUSALS, type Spend, spendColumns, spendRow } from '../spend.ts';
import { denySpend } from './deny-spend.ts';
import { isAcceptingSpends } from './is-accepting-spends.ts';
import { holdWallet } from '@agent-wallet/wallet';

/**
 * Refuses a spend that no lane ever claimed: nothing was signed, nothing moved, a retry is safe.
 * The row gives its Idempotency-Key back. Null when a lane was faster or the spend has settled.
 */
export async function cancelQueued(
  db: Database,
  { spendId, walletId }: { readonly spendId: string; readonly walletId: string },
): Promise<Spend | null> {
  return holdWallet(db, walletId, async (tx) => {
    // A restored database may not know that this spend was sent.
    if (!(await isAcceptingSpends(tx))) return null;
    const spend = await tx.maybeOne(sql.type(spendRow)`
      update spend
      set status = 'rejected', code = ${REFUSALS.expiredUnsent}, settled_at = now(),
        detail = 'no worker took it in time; nothing was sent',
        idempotency_key = null, request_digest = null
      where spend_id = ${spendId}::uuid and status = 'queued' and attempt = 0
      returning ${spendColumns}
    `);
    if (spend === null) return null;
    await denySpend(tx, spend, { reason: REFUSALS.expiredUnsent, detail: spend.detail });
    return spend;
  });
}
