import type { Database } from '@agent-wallet/db';
import { sql } from 'slonik';
import { z } from 'zod';

const stuckRow = z.object({
  spendId: z.string(),
  walletId: z.string(),
  sessionId: z.string(),
  kind: z.string(),
  status: z.enum(['queued', 'in_flight', 'confirmed', 'reverted']),
  broadcaster: z.enum(['worker', 'facilitator']),
  ageSeconds: z.number(),
  attempt: z.number(),
  broadcasts: z.number(),
  faults: z.number(),
  txSignature: z.string().nullable(),
  isReleased: z.boolean(),
  /** Who holds the lease of the session's lane now. */
  laneHolder: z.string().nullable(),
  /** Open spends of the session that were accepted before this one. */
  ahead: z.number(),
  /** Null unless an attempt is in flight. */
  lastValidBlockHeight: z.bigint().nullable(),
  /** Seconds by which the next look at the attempt is late; negative before it is due. */
  overdueSeconds: z.number().nullable(),
});

/** A spend that has waited for long, and the facts that show what it waits for. */
export type StuckSpend = z.output<typeof stuckRow>;

/**
 * Spends that were accepted more than `olderThanMs` ago and are open, and landings of that age that
 * are not final. The oldest come first.
 */
export async function listStuck(
  db: Database,
  { olderThanMs, limit }: { readonly olderThanMs: number; readonly limit: number },
): Promise<readonly StuckSpend[]> {
  const ago = sql.fragment`now() - ${olderThanMs} * interval '1 millisecond'`;
  return db.any(sql.type(stuckRow)`
    with waiting as (
      (select spend_id, accepted_no from spend
        where settled_at is null and created_at < ${ago} order by created_at limit ${limit})
      union all
      (select spend_id, accepted_no from spend
        where landed_slot is not null and finalized_at is null
          and status in ('confirmed', 'reverted') and settled_at < ${ago}
        order by greatest(settled_at, final_look_at) limit ${limit})
    )
    select spend.spend_id as "spendId", spend.wallet_id as "walletId",
      spend.session_id as "sessionId", kind, status, broadcaster,
      extract(epoch from now() - created_at)::float8 as "ageSeconds", spend.attempt, broadcasts,
      faults, tx_signature as "txSignature", released_at is not null as "isReleased",
      case when lane.lease_until > now() then lane.holder end as "laneHolder",
      (select count(*)::int from spend before
        where before.session_id = spend.session_id and before.settled_at is null
          and before.accepted_no < spend.accepted_no) as ahead,
      case when watch.spend_id is not null then stored.last_valid_block_height end
        as "lastValidBlockHeight",
      extract(epoch from now() - greatest(watch.look_at, watch.watch_until))::float8
        as "overdueSeconds"
    from waiting
    join spend on spend.spend_id = waiting.spend_id
    left join lane on lane.session_id = spend.session_id
    left join attempt_watch as watch
      on watch.spend_id = spend.spend_id and watch.attempt = spend.attempt
    left join attempt as stored
      on stored.spend_id = spend.spend_id and stored.attempt = spend.attempt
    order by created_at, spend.accepted_no
    limit ${limit}
  `);
}
