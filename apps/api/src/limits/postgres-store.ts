import type { Database } from '@agent-wallet/db';
import { sql } from 'slonik';
import { z } from 'zod';
import type { TokenStore } from './rate.ts';

const bucketRow = z.object({ key: z.string(), granted: z.number(), left: z.number() });

/** The tokens in the table `token_bucket`, on the database's clock. Keys are digests in hex. */
export function createPostgresStore(db: Database): TokenStore {
  return async ({ perSecond, burst }, requests) => {
    const wanted = requests.map(({ key, wanted: tokens }) => [key, tokens] as const);
    // A statement that waited for the row began before its last change.
    const filled = sql.fragment`least(${burst}::float8, bucket.tokens + ${perSecond}::float8
      * greatest(0, extract(epoch from now() - bucket.filled_at)::float8))`;
    const granted = sql.fragment`least(excluded.granted, floor(${filled}))`;
    const fullIn = (tokens: typeof filled) =>
      sql.fragment`(${burst}::float8 - (${tokens})) / ${perSecond}::float8 * interval '1 second'`;
    const rows = await db.any(sql.type(bucketRow)`
      insert into token_bucket as bucket (key, tokens, granted, filled_at, full_at)
      select decode(key, 'hex'), ${burst}::float8 - taken, taken, now(),
        now() + taken / ${perSecond}::float8 * interval '1 second'
      from (
        select key, least(wanted, floor(${burst}::float8)) as taken
        from ${sql.unnest(wanted, ['text', 'float8'])} as told (key, wanted)
      ) as request
      order by key
      on conflict (key) do update
      set tokens = ${filled} - ${granted}, granted = ${granted},
        filled_at = greatest(bucket.filled_at, now()),
        full_at = greatest(bucket.filled_at, now()) + ${fullIn(sql.fragment`${filled} - ${granted}`)}
      returning encode(key, 'hex') as key, granted, tokens as left
    `);
    const grants = new Map(rows.map((row) => [row.key, row]));
    return requests.map(({ key }) => grants.get(key) ?? { granted: 0, left: 0 });
  };
}

/** Deletes the rows of full buckets, at most `limit`. */
export async function forgetFullBuckets(db: Database, limit: number): Promise<void> {
  await db.query(sql.unsafe`
    delete from token_bucket where key in (
      select key from token_bucket where full_at < now()
      limit ${limit}
      for update skip locked)
  `);
}
