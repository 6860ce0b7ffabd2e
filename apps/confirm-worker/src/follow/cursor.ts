import type { FeedCursor } from '@agent-wallet/chain';
import type { Database } from '@agent-wallet/db';
import { sql } from 'slonik';
import { z } from 'zod';

/** Reads the slot up to which the program's transactions are applied; null before the first. */
export async function readCursor(db: Database): Promise<FeedCursor | null> {
  return db.maybeOne(sql.type(z.object({ slot: z.bigint() }))`select slot from program_cursor`);
}

/**
 * Whether the events of a transaction are stored; true for null. When stored events have gone, the
 * database was restored and all later events are gone as well.
 */
export async function areEventsStored(db: Database, signature: string | null): Promise<boolean> {
  if (signature === null) return true;
  return db.exists(sql.unsafe`select 1 from program_event where signature = ${signature}`);
}

/**
 * Moves the cursor forward, never back. It does not move when the events of `newest`, the last
 * transaction with any, have gone meanwhile.
 */
export async function writeCursor(
  db: Database,
  cursor: FeedCursor,
  newest: string | null = null,
): Promise<void> {
  await db.query(sql.unsafe`
    insert into program_cursor (slot)
    select ${cursor.slot}
    where ${newest}::text is null
      or exists (select 1 from program_event where signature = ${newest})
    on conflict (only_row) do update
    set slot = greatest(program_cursor.slot, excluded.slot), updated_at = now()
  `);
}
