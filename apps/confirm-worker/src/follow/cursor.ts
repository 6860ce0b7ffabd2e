import type { FeedCursor } from '@agent-wallet/chain';
import type { Database } from '@agent-wallet/db';
import { type FragmentSqlToken, sql } from 'slonik';
import { z } from 'zod';

/** Reads the slot up to which the program's transactions are applied; null before the first. */
export async function readCursor(db: Database): Promise<FeedCursor | null> {
  return db.maybeOne(sql.type(z.object({ slot: z.bigint() }))`select slot from program_cursor`);
}

/**
 * Whether a transaction's events are stored, or its spend is matched; true for null. When that has
 * gone, the database was restored and all that was read later is gone as well.
 */
export async function isFollowed(db: Database, signature: string | null): Promise<boolean> {
  if (signature === null) return true;
  return db.exists(sql.unsafe`select 1 where ${wasFollowed(signature)}`);
}

/**
 * Moves the cursor forward, never back. It does not move when `newest`, the last transaction that
 * was stored or explained, is no longer followed.
 */
export async function writeCursor(
  db: Database,
  cursor: FeedCursor,
  newest: string | null = null,
): Promise<void> {
  const isWhole = newest === null ? sql.fragment`true` : wasFollowed(newest);
  await db.query(sql.unsafe`
    insert into program_cursor (slot)
    select ${cursor.slot} where ${isWhole}
    on conflict (only_row) do update
    set slot = greatest(program_cursor.slot, excluded.slot), updated_at = now()
  `);
}

const wasFollowed = (signature: string): FragmentSqlToken => sql.fragment`(
  exists (select 1 from program_event where signature = ${signature})
  or exists (
    select 1 from attempt join spend on spend.spend_id = attempt.spend_id
    where attempt.signature = ${signature} and spend.event_joined_at is not null)
)`;
