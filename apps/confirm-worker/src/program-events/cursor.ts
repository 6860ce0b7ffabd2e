import type { FeedCursor } from '@agent-wallet/chain';
import type { Database } from '@agent-wallet/db';
import { sql } from 'slonik';
import { z } from 'zod';

/** How far the program's transactions were applied; null before the first. */
export async function readCursor(db: Database): Promise<FeedCursor | null> {
  return db.maybeOne(sql.type(z.object({ slot: z.bigint() }))`select slot from program_cursor`);
}

/** Moves the cursor forward; it never goes back. */
export async function writeCursor(db: Database, cursor: FeedCursor): Promise<void> {
  await db.query(sql.unsafe`
    insert into program_cursor (slot) values (${cursor.slot})
    on conflict (only_row) do update
    set slot = greatest(program_cursor.slot, excluded.slot), updated_at = now()
  `);
}
