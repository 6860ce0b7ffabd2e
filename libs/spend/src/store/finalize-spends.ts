import type { Database } from '@agent-wallet/db';
import { sql } from 'slonik';
import { z } from 'zod';

const landedSpend = z.object({
  spendId: z.string(),
  sessionId: z.string(),
  walletId: z.string(),
  txSignature: z.string(),
  landedError: z.boolean(),
});

/** A spend whose landing is confirmed but not final. */
export type LandedSpend = z.output<typeof landedSpend>;

/** Landed spends that are older than `settledMsAgo` and not final yet, oldest first. */
export async function listUnfinalized(
  db: Database,
  { settledMsAgo, limit }: { readonly settledMsAgo: number; readonly limit: number },
): Promise<readonly LandedSpend[]> {
  return db.any(sql.type(landedSpend)`
    select spend_id as "spendId", session_id as "sessionId", wallet_id as "walletId",
      tx_signature as "txSignature", landed_error as "landedError"
    from spend
    where status in ('confirmed', 'reverted')
      and settled_at < now() - ${settledMsAgo} * interval '1 millisecond'
    order by settled_at
    limit ${limit}
  `);
}

/** Marks landings as final: confirmed → finalized, reverted → rejected. Decisions do not change. */
export async function finalizeSpends(db: Database, spendIds: readonly string[]): Promise<void> {
  if (spendIds.length === 0) return;
  await db.query(sql.unsafe`
    with landed as (
      select spend_id from spend
      where spend_id = any(${sql.array([...spendIds], 'uuid')})
        and status in ('confirmed', 'reverted')
      order by spend_id
      for update
    )
    update spend
    set status = case status when 'confirmed' then 'finalized' else 'rejected' end,
      finalized_at = now()
    from landed
    where spend.spend_id = landed.spend_id
  `);
}
