import type { Database } from '@agent-wallet/db';
import { sql } from 'slonik';
import { type Spend, spendColumns, spendRow } from '../spend.ts';
import { denySpend } from '../accept/deny-spend.ts';
import { holdWallet } from '@agent-wallet/wallet';

/**
 * Rejects a spend that the program refused in the preflight of its first send, if its bytes were
 * never broadcast; null otherwise. The bytes stay watched until their expiry is proven, because the
 * endpoint that refused them may still have forwarded them.
 */
export async function refuseUnbroadcast(
  db: Database,
  {
    spend,
    attempt,
    code,
    detail,
  }: {
    readonly spend: Spend;
    readonly attempt: number;
    readonly code: string;
    readonly detail: string;
  },
): Promise<Spend | null> {
  return holdWallet(db, spend.walletId, async (tx) => {
    const refused = await tx.maybeOne(sql.type(spendRow)`
      update spend
      set status = 'rejected', code = ${code}, detail = ${detail}, settled_at = now(),
        tx_signature = null
      where spend_id = ${spend.spendId}::uuid
        and status = 'in_flight' and attempt = ${attempt} and broadcasts = 0
        and broadcaster = 'worker'
      returning ${spendColumns}
    `);
    if (refused === null) return null;
    await tx.query(sql.unsafe`
      update attempt_watch set look_at = now() + interval '5 seconds'
      where spend_id = ${spend.spendId}::uuid and attempt = ${attempt}
    `);
    await denySpend(tx, refused, { reason: code, detail });
    return refused;
  });
}
