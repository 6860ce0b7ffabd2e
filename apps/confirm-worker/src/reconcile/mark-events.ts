import type { Database } from '@agent-wallet/db';
import { type FragmentSqlToken, sql } from 'slonik';
import type { UnmatchedEvent } from './read-unmatched.ts';

/**
 * Marks events that need no further pass. One that has become due anew since it was read stays due:
 * a spend or a wallet that it belongs to has been inserted meanwhile.
 */
export async function markDone(db: Database, events: readonly UnmatchedEvent[]): Promise<void> {
  if (events.length === 0) return;
  await db.query(sql.unsafe`
    ${lockedEvents(events)}
    update program_event set reconcile_at = null
    from locked where ${isLocked} and program_event.reconcile_at = locked.due_at
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
    ${lockedEvents(events)}
    update program_event
    set reconcile_at = now() + ${lookInMs} * interval '1 millisecond'
    from locked where ${isLocked} and reconcile_at is not null
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

/** Locks the events in one order, so that two workers never wait for each other. */
function lockedEvents(events: readonly UnmatchedEvent[]): FragmentSqlToken {
  const places = events.map(
    ({ signature, instructionIndex, innerIndex, reconcileAt }) =>
      [signature, instructionIndex, innerIndex, reconcileAt] as const,
  );
  return sql.fragment`
    with locked as materialized (
      select event.signature, event.instruction_index, event.inner_index, due_at
      from program_event as event
      join ${sql.unnest(places, ['text', 'int4', 'int4', 'timestamptz'])}
        as told (signature, instruction_index, inner_index, due_at)
        using (signature, instruction_index, inner_index)
      order by signature, instruction_index, inner_index
      for no key update of event
    )`;
}

const isLocked = sql.fragment`
  program_event.signature = locked.signature
    and program_event.instruction_index = locked.instruction_index
    and program_event.inner_index = locked.inner_index`;
