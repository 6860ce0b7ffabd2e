import type { Database } from '@agent-wallet/db';
import { sql } from 'slonik';
import type { UnmatchedEvent } from './read-unmatched.ts';

/** Marks events that need no further pass. */
export async function markDone(db: Database, events: readonly UnmatchedEvent[]): Promise<void> {
  if (events.length === 0) return;
  await db.query(sql.unsafe`
    update program_event set reconcile_at = null
    from ${placesOf(events)} as told (signature, instruction_index, inner_index)
    where program_event.signature = told.signature
      and program_event.instruction_index = told.instruction_index
      and program_event.inner_index = told.inner_index
  `);
}

/** Postpones the next look at events. */
export async function postponeEvents(
  db: Database,
  events: readonly UnmatchedEvent[],
  lookInMs: number,
): Promise<void> {
  if (events.length === 0) return;
  await db.query(sql.unsafe`
    update program_event
    set reconcile_at = now() + ${lookInMs} * interval '1 millisecond'
    from ${placesOf(events)} as told (signature, instruction_index, inner_index)
    where program_event.signature = told.signature
      and program_event.instruction_index = told.instruction_index
      and program_event.inner_index = told.inner_index and reconcile_at is not null
  `);
}

/** Marks the spends of events whose landing was found on the chain. */
export async function markMatched(db: Database, events: readonly UnmatchedEvent[]): Promise<void> {
  if (events.length === 0) return;
  const matched = events.map(({ spendId, signature }) => [spendId, signature] as const);
  await db.query(sql.unsafe`
    with joined as (
      select spend.spend_id from spend
      join ${sql.unnest(matched, ['uuid', 'text'])} as told (spend_id, signature)
        on told.spend_id = spend.spend_id
      where tx_signature = told.signature and event_joined_at is null
      order by spend.spend_id
      for update of spend
    )
    update spend set event_joined_at = now() from joined where spend.spend_id = joined.spend_id
  `);
}

function placesOf(events: readonly UnmatchedEvent[]): ReturnType<typeof sql.unnest> {
  return sql.unnest(
    events.map(
      ({ signature, instructionIndex, innerIndex }) =>
        [signature, instructionIndex, innerIndex] as const,
    ),
    ['text', 'int4', 'int4'],
  );
}
