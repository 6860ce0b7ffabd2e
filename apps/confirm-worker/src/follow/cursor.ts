import type { FeedCursor } from '@agent-wallet/chain';
import type { Database } from '@agent-wallet/db';
import { sql } from 'slonik';
import { z } from 'zod';

/** How far the program's transactions were applied; null before the first. */
export async function readCursor(db: Database): Promise<FeedCursor | null> {
  return db.maybeOne(sql.type(z.object({ slot: z.bigint() }))`select slot from program_cursor`);
}

/**
 * Whether the events of a transaction are in this database. Where they were once and are no more, it
 * was restored: everything after them is gone as well. Null is always there.
 */
export async function areEventsThere(db: Database, signature: string | null): Promise<boolean> {
  if (signature === null) return true;
  return db.exists(sql.unsafe`select 1 from program_event where signature = ${signature}`);
}

/**
 * Moves the cursor forward; it never goes back. It stays where the events of `newest`, the last
 * transaction that left any, have gone meanwhile.
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
