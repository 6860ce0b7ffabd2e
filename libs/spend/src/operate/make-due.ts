import type { Database } from '@agent-wallet/db';
import { sql } from 'slonik';
import { z } from 'zod';
import { ATTEMPT_STORED, LOOK_NOW } from '../lane/announce-attempts.ts';

const counted = z.object({ attempts: z.number(), landings: z.number() });

/**
 * Makes watched attempts and landings that are not final due at once, at most `limit` of each, and
 * wakes the confirm-worker. Returns how many it made due. It moves no money: a look only reads the
 * chain and sends stored bytes again.
 */
export async function makeDue(
  db: Database,
  { limit }: { readonly limit: number },
): Promise<z.output<typeof counted>> {
  const due = await db.one(sql.type(counted)`
    with waiting as (
      select spend_id, attempt from attempt_watch
      where look_at > now() and watch_until < now()
      order by look_at
      limit ${limit}
      for no key update skip locked
    ), looks as (
      update attempt_watch as watch set look_at = now()
      from waiting
      where watch.spend_id = waiting.spend_id and watch.attempt = waiting.attempt
      returning 1
    ), unfinal as (
      select spend_id from spend
      where landed_slot is not null and finalized_at is null and final_look_at > now()
      order by greatest(settled_at, final_look_at)
      limit ${limit}
      for no key update skip locked
    ), finals as (
      update spend set final_look_at = now()
      from unfinal where spend.spend_id = unfinal.spend_id
      returning 1
    )
    select (select count(*)::int from looks) as attempts,
      (select count(*)::int from finals) as landings
  `);
  if (due.attempts > 0) {
    await db.query(sql.unsafe`select pg_notify(${ATTEMPT_STORED}, ${LOOK_NOW})`);
  }
  return due;
}
