import type { FeedBatch, FeedCursor, FeedPosition } from '@agent-wallet/chain';
import type { Database } from '@agent-wallet/db';
import { type FragmentSqlToken, sql } from 'slonik';
import { z } from 'zod';

const MAX_AGAIN = 50;

const slotText = z.string().transform(BigInt);
const positionRow = z.object({
  slot: z.bigint().nullable(),
  place: z.object({ before: z.string(), next: z.string(), slot: slotText }).nullable(),
  again: z.array(z.object({ signature: z.string(), slot: slotText })),
});

/**
 * Reads how far the program's transactions are applied, where the walk of a backlog continues, and
 * which postponed transactions are due. A place below the cursor is passed.
 */
export async function readPosition(db: Database): Promise<FeedPosition> {
  const { slot, place, again } = await db.one(sql.type(positionRow)`
    select (select slot from program_cursor) as slot,
      (select json_build_object(
          'before', before_signature, 'next', next_signature, 'slot', slot::text)
        from program_walk_place
        where slot >= coalesce((select slot from program_cursor), 0)
        order by slot, place_no desc
        limit 1) as place,
      (select coalesce(json_agg(
          json_build_object('signature', signature, 'slot', slot::text)
          order by slot, listed_at), '[]'::json)
        from (select signature, slot, listed_at from postponed_transaction
          where look_at <= now()
          order by look_at
          limit ${MAX_AGAIN}) as due) as again
  `);
  return {
    cursor: slot === null ? null : { slot },
    place,
    again: again.map((record) => ({ ...record, err: null })),
  };
}

/**
 * Whether the database holds a transaction: its events, the match of its spend, or that it is
 * postponed; true for null. When that has gone, the database was restored and all that was read
 * later is gone as well.
 */
export async function isFollowed(db: Database, signature: string | null): Promise<boolean> {
  if (signature === null) return true;
  return db.exists(sql.unsafe`select 1 where ${wasFollowed(signature)}`);
}

/**
 * Moves the cursor forward, never back. It does not move when the database no longer holds `newest`,
 * or has gone back behind `from`, where the reading began: a worker that was stopped in between would
 * skip what a restored database has lost.
 */
export async function writeCursor(
  db: Database,
  cursor: FeedCursor,
  read: { readonly newest?: string | null; readonly from?: FeedCursor | null } = {},
): Promise<void> {
  const { newest = null, from = null } = read;
  const holdsNewest = newest === null ? sql.fragment`true` : wasFollowed(newest);
  const holdsStart =
    from === null
      ? sql.fragment`true`
      : sql.fragment`exists (select 1 from program_cursor where slot >= ${from.slot})`;
  await db.query(sql.unsafe`
    insert into program_cursor (slot)
    select ${cursor.slot} where ${holdsNewest} and ${holdsStart}
    on conflict (only_row) do update
    set slot = greatest(program_cursor.slot, excluded.slot), updated_at = now()
  `);
}

/** Stores where a walk has paused, and deletes the places that are passed. */
export async function writePlaces(
  db: Database,
  { pausedAt, passed }: Pick<FeedBatch, 'pausedAt' | 'passed'>,
): Promise<void> {
  if (pausedAt !== null) {
    const { before, next, slot } = pausedAt;
    await db.query(sql.unsafe`
      insert into program_walk_place (before_signature, next_signature, slot)
      values (${before}, ${next}, ${slot})
      on conflict do nothing
    `);
  }
  if (passed !== null) {
    await db.query(sql.unsafe`
      delete from program_walk_place
      where before_signature = ${passed.before} or slot < (select slot from program_cursor)
    `);
  }
}

const wasFollowed = (signature: string): FragmentSqlToken => sql.fragment`(
  exists (select 1 from program_event where signature = ${signature})
  or exists (select 1 from postponed_transaction where signature = ${signature})
  or exists (
    select 1 from attempt join spend on spend.spend_id = attempt.spend_id
    where attempt.signature = ${signature} and spend.event_joined_at is not null)
)`;
