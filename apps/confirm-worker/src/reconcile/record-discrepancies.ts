import type { Database } from '@agent-wallet/db';
import { sql } from 'slonik';
import { z } from 'zod';

const KINDS = [
  'event_without_spend',
  'event_differs',
  'second_landing',
  'spend_without_event',
] as const;

const unexplainedRow = z.object({
  kind: z.enum(KINDS),
  subject: z.string(),
  walletId: z.string(),
  spendId: z.string().nullable(),
  signature: z.string().nullable(),
  slot: z.bigint().nullable(),
  detail: z.string(),
});

/** Something that chain and rows say differently. There is one record for each `subject`. */
export type Unexplained = z.output<typeof unexplainedRow>;

/** Stores the record; false when it was there already. */
export async function recordUnexplained(db: Database, record: Unexplained): Promise<boolean> {
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
 * Records every landed spend whose event the follower should have met by now: its landing lies
 * more than `behindSlots` before the place up to which the program's transactions were read.
 * Answers the new records.
 */
export async function recordMissingEvents(
  db: Database,
  { behindSlots, limit }: { readonly behindSlots: bigint; readonly limit: number },
): Promise<readonly Unexplained[]> {
  return db.any(sql.type(unexplainedRow)`
    insert into unexplained (kind, subject, wallet_id, spend_id, signature, slot, detail)
    select 'spend_without_event', spend.spend_id::text, spend.wallet_id, spend.spend_id,
      spend.tx_signature, spend.landed_slot,
      'the spend is ' || spend.status || ' and the chain shows no event of it'
    from spend, program_cursor
    where spend.status in ('confirmed', 'finalized') and event_joined_at is null
      and coalesce(landed_slot, 0) < program_cursor.slot - ${behindSlots}
      and not exists (select 1 from program_event
        where program_event.spend_id = spend.spend_id
          and program_event.signature = spend.tx_signature and reconcile_at is not null)
      and not exists (select 1 from unexplained as known
        where known.kind = 'spend_without_event' and known.subject = spend.spend_id::text)
    order by coalesce(landed_slot, 0)
    limit ${limit}
    on conflict do nothing
    returning kind, subject, wallet_id as "walletId", spend_id as "spendId", signature, slot, detail
  `);
}
