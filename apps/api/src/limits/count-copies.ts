import { randomUUID } from 'node:crypto';
import type { Database } from '@agent-wallet/db';
import { sql } from 'slonik';
import { z } from 'zod';
import { forgetFullBuckets } from './postgres-store.ts';

const EVERY_MS = 2_000;
/** A copy that was not seen for this long no longer counts. */
const GONE_AFTER_MS = 10_000;
const MOST_FORGOTTEN = 5_000;
const FORGET_EVERY_PASSES = 30;

export type CopyCount = {
  /** The last count of the copies of the api, this one included. */
  readonly copies: () => number;
  /** Counts again. Returns the delay until the next count. */
  readonly pass: () => Promise<number>;
  /** Takes this copy out of the count. */
  readonly leave: () => Promise<void>;
};

/** Counts the copies of the api that use this database, and deletes full token buckets. */
export function createCopyCount(db: Database): CopyCount {
  const copyId = randomUUID();
  let copies = 1;
  let passes = 0;
  return {
    copies: () => copies,
    pass: async () => {
      copies = await countCopies(db, copyId);
      if (passes % FORGET_EVERY_PASSES === 0) await forgetFullBuckets(db, MOST_FORGOTTEN);
      passes += 1;
      return EVERY_MS;
    },
    leave: async () => {
      await db.query(sql.unsafe`delete from api_copy where copy_id = ${copyId}::uuid`);
    },
  };
}

async function countCopies(db: Database, copyId: string): Promise<number> {
  const { others } = await db.one(sql.type(z.object({ others: z.number() }))`
    with seen as (
      insert into api_copy (copy_id, seen_at) values (${copyId}::uuid, now())
      on conflict (copy_id) do update set seen_at = excluded.seen_at
    ), gone as (
      delete from api_copy
      where copy_id <> ${copyId}::uuid
        and seen_at < now() - ${GONE_AFTER_MS} * interval '1 millisecond'
    )
    select count(*)::int as others from api_copy
    where copy_id <> ${copyId}::uuid
      and seen_at >= now() - ${GONE_AFTER_MS} * interval '1 millisecond'
  `);
  return others + 1;
}
