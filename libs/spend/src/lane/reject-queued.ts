import type { Database } from '@agent-wallet/db';
import { sql } from 'slonik';
import { type Spend, spendColumns, spendRow } from '../spend.ts';
import { denySpend } from '../accept/deny-spend.ts';
import { isAcceptingSpends } from '../accept/is-accepting-spends.ts';
import { holdWallet } from '@agent-wallet/wallet';

/**
 * Refuses a queued spend by the lane that holds `fence`. A spend that never had an attempt gives
 * its Idempotency-Key back. Null when the lane was lost or the spend is not queued any more.
 */
export async function rejectQueued(
  db: Database,
  {
    spend,
    fence,
    code,
    detail,
  }: {
    readonly spend: Spend;
    readonly fence: bigint;
    readonly code: string;
    readonly detail: string;
  },
): Promise<Spend | null> {
  return holdWallet(db, spend.walletId, async (tx) => {
    if (!(await isAcceptingSpends(tx))) return null;
    const rejected = await tx.maybeOne(sql.type(spendRow)`
      update spend
      set status = 'rejected', code = ${code}, detail = ${detail}, settled_at = now(),
        tx_signature = null,
        idempotency_key = case when attempt = 0 then null else idempotency_key end,
        request_digest = case when attempt = 0 then null else request_digest end
      where spend_id = ${spend.spendId}::uuid and status = 'queued' and attempt = ${spend.attempt}
        and exists (select 1 from lane
          where lane.session_id = spend.session_id and fence = ${fence} and lease_until > now())
      returning ${spendColumns}
    `);
    if (rejected === null) return null;
    await denySpend(tx, rejected, { reason: code, detail });
    return rejected;
  });
}
