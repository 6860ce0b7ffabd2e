import type { Database } from '@agent-wallet/db';
import { sql } from 'slonik';
import { z } from 'zod';

/** Kinds of disagreement between chain and database. */
export const DISCREPANCY_KINDS = [
  'event_without_spend',
  'event_differs',
  'second_landing',
  'spend_without_event',
] as const;

const discrepancyRow = z.object({
  kind: z.enum(DISCREPANCY_KINDS),
  subject: z.string(),
  walletId: z.string(),
  spendId: z.string().nullable(),
  signature: z.string().nullable(),
  slot: z.bigint().nullable(),
  detail: z.string(),
});

/** A disagreement between chain and database; at most one record for each `subject`. */
export type Discrepancy = z.output<typeof discrepancyRow>;

/** Stores a record; returns false when it is already there. */
export async function recordDiscrepancy(db: Database, record: Discrepancy): Promise<boolean> {
  const stored = await db.maybeOne(sql.unsafe`
    insert into unexplained (kind, subject, wallet_id, spend_id, signature, slot, detail)
    values (${record.kind}, ${record.subject}, ${record.walletId}::uuid, ${record.spendId}::uuid,
      ${record.signature}, ${record.slot}, ${record.detail})
    on conflict do nothing
    returning 1 as one
  `);
  return stored !== null;
}

/**
 * Records landed spends without an event. The landing of each is more than `behindSlots` older than
 * the slot up to which the program's transactions were read. Returns the new records.
 */
export async function recordMissingEvents(
  db: Database,
  { behindSlots, limit }: { readonly behindSlots: bigint; readonly limit: number },
): Promise<readonly Discrepancy[]> {
  return db.any(sql.type(discrepancyRow)`
    insert into unexplained (kind, subject, wallet_id, spend_id, signature, slot, detail)
    select 'spend_without_event', spend.spend_id::text, spend.wallet_id, spend.spend_id,
      spend.tx_signature, spend.landed_slot,
      'the spend is ' || spend.status || ' and the chain shows no event of it'
    from spend, program_cursor
    where spend.status in ('confirmed', 'finalized')
      and landed_error is not true and event_joined_at is null
      and landed_slot < program_cursor.slot - ${behindSlots}
      and not exists (select 1 from program_event
        where program_event.spend_id = spend.spend_id
          and program_event.signature = spend.tx_signature and reconcile_at is not null)
      and not exists (select 1 from unexplained as known
        where known.kind = 'spend_without_event' and known.subject = spend.spend_id::text)
    order by landed_slot
    limit ${limit}
    on conflict do nothing
    returning kind, subject, wallet_id as "walletId", spend_id as "spendId", signature, slot, detail
  `);
}
