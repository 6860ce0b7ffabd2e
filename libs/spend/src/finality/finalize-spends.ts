import type { Database } from '@agent-wallet/db';
import { sql } from 'slonik';
import { z } from 'zod';

const landedSpend = z.object({
  spendId: z.string(),
  sessionId: z.string(),
  walletId: z.string(),
  txSignature: z.string(),
  landedSlot: z.bigint(),
  landedError: z.boolean(),
  attemptNo: z.number(),
  settledMsAgo: z.number(),
});

/** A spend whose landing is confirmed but not final. `attemptNo` is the attempt that landed. */
export type LandedSpend = z.output<typeof landedSpend>;

/**
 * Landed spends that are older than `settledMsAgo` and not final yet: those that have waited
 * longest since they settled or were last put off.
 */
export async function listUnfinalized(
  db: Database,
  { settledMsAgo, limit }: { readonly settledMsAgo: number; readonly limit: number },
): Promise<readonly LandedSpend[]> {
  return db.any(sql.type(landedSpend)`
    select spend_id as "spendId", session_id as "sessionId", wallet_id as "walletId",
      tx_signature as "txSignature", landed_slot as "landedSlot", coalesce(landed_error, status = 'reverted') as "landedError",
      coalesce((select attempt.attempt from attempt where signature = tx_signature),
        spend.attempt) as "attemptNo",
      extract(epoch from now() - settled_at)::float8 * 1000 as "settledMsAgo"
    from spend
    where status in ('confirmed', 'reverted')
      and landed_slot is not null and finalized_at is null
      and greatest(settled_at, final_look_at) < now() - ${settledMsAgo} * interval '1 millisecond'
    order by greatest(settled_at, final_look_at)
    limit ${limit}
  `);
}

/**
 * Puts landings that should be final by now behind all others: the next look comes after a quarter
 * of their age, in ten minutes at the latest.
 */
export async function postponeFinality(db: Database, spendIds: readonly string[]): Promise<void> {
  if (spendIds.length === 0) return;
  await db.query(sql.unsafe`
    update spend
    set final_look_at = now() + least((now() - settled_at) / 4, interval '10 minutes')
    where spend_id in (
      select spend_id from spend
      where spend_id = any(${sql.array([...spendIds], 'uuid')})
        and status in ('confirmed', 'reverted')
      order by spend_id
      for update
    )
  `);
}

/**
 * Marks landings as final: confirmed → finalized, reverted → rejected. Decisions do not change. A
 * row that was corrected since it was listed is left alone.
 */
export async function finalizeSpends(
  db: Database,
  landed: readonly Pick<LandedSpend, 'spendId' | 'txSignature' | 'landedError'>[],
): Promise<void> {
  if (landed.length === 0) return;
  const told = landed.map(
    ({ spendId, txSignature, landedError }) => [spendId, txSignature, landedError] as const,
  );
  await db.query(sql.unsafe`
    with final as (
      select spend.spend_id from spend
      join ${sql.unnest(told, ['uuid', 'text', 'bool'])} as told (spend_id, signature, failed)
        on told.spend_id = spend.spend_id
      where status in ('confirmed', 'reverted') and tx_signature = told.signature
        and coalesce(landed_error, status = 'reverted') = told.failed
      order by spend.spend_id
      for update of spend
    )
    update spend
    set status = case status when 'confirmed' then 'finalized' else 'rejected' end,
      finalized_at = now()
    from final
    where spend.spend_id = final.spend_id
  `);
}
