import type { Database } from '@agent-wallet/db';
import { sql } from 'slonik';
import type { UnjoinedEvent } from './read-unmatched.ts';

/** The events need no further look. */
export async function markDone(db: Database, events: readonly UnjoinedEvent[]): Promise<void> {
  if (events.length === 0) return;
  await db.query(sql.unsafe`
    update program_event set reconcile_at = null
    from ${placesOf(events)} as told (signature, instruction_index, inner_index)
    where program_event.signature = told.signature
      and program_event.instruction_index = told.instruction_index
      and program_event.inner_index = told.inner_index
  `);
}

/** The events are looked at again later. */
export async function putOff(
  db: Database,
  events: readonly UnjoinedEvent[],
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

/** Notes on the spends that their landings were met on the chain. */
export async function markJoined(db: Database, events: readonly UnjoinedEvent[]): Promise<void> {
  if (events.length === 0) return;
  const told = events.map(({ spendId, signature }) => [spendId, signature] as const);
  await db.query(sql.unsafe`
    with joined as (
      select spend.spend_id from spend
      join ${sql.unnest(told, ['uuid', 'text'])} as told (spend_id, signature)
        on told.spend_id = spend.spend_id
      where tx_signature = told.signature and event_joined_at is null
      order by spend.spend_id
      for update of spend
    )
    update spend set event_joined_at = now() from joined where spend.spend_id = joined.spend_id
  `);
}

function placesOf(events: readonly UnjoinedEvent[]): ReturnType<typeof sql.unnest> {
  return sql.unnest(
    events.map(
      ({ signature, instructionIndex, innerIndex }) =>
        [signature, instructionIndex, innerIndex] as const,
    ),
    ['text', 'int4', 'int4'],
  );
}
