import type { Database } from '@agent-wallet/db';
import { sql } from 'slonik';
import { z } from 'zod';
import { spendColumns, spendRow } from '../spend.ts';

const watchedRow = spendRow.extend({
  attemptNo: z.number(),
  signature: z.string().nullable(),
  signatureHint: z.string().nullable(),
  wire: z.instanceof(Buffer),
  lastValidBlockHeight: z.bigint(),
  storedMsAgo: z.number(),
  broadcastMsAgo: z.number().nullable(),
  sessionPda: z.string(),
  sessionIndex: z.bigint(),
  sinceSlot: z.bigint(),
  sessionWasLive: z.boolean(),
});

/**
 * An attempt whose fate is open, with the spend row as it stood when it was leased. `attemptNo` is
 * the attempt that is watched, `attempt` the newest one of the spend. `sinceSlot`: nothing of this
 * spend can have landed before it. `signature` is null while only a facilitator could know it;
 * `signatureHint` is what a service has named, to be checked and never believed.
 */
export type WatchedAttempt = z.output<typeof watchedRow>;

/**
 * Leases the due attempts, oldest first, so that several confirm-workers share the work. The lease
 * only saves work: every verdict is a conditional update.
 */
export async function leaseAttempts(
  db: Database,
  lease: { readonly watcher: string; readonly leaseMs: number; readonly limit: number },
): Promise<readonly WatchedAttempt[]> {
  return db.any(sql.type(watchedRow)`
    with due as (
      select spend_id, attempt from attempt
      where state = 'watching' and look_at <= now() and watch_until < now()
      order by look_at
      limit ${lease.limit}
      for update skip locked
    ), leased as (
      update attempt
      set watcher = ${lease.watcher},
        watch_until = now() + ${lease.leaseMs} * interval '1 millisecond'
      from due
      where attempt.spend_id = due.spend_id and attempt.attempt = due.attempt
      returning attempt.*
    )
    select ${spendColumns}, leased.attempt as "attemptNo", leased.signature,
      spend.signature_hint as "signatureHint", leased.wire, leased.last_valid_block_height as "lastValidBlockHeight",
      extract(epoch from now() - leased.stored_at)::float8 * 1000 as "storedMsAgo",
      extract(epoch from now() - leased.last_broadcast_at)::float8 * 1000 as "broadcastMsAgo",
      session.session_pda as "sessionPda", leased.session_index as "sessionIndex",
      (select min(blockhash_slot) from attempt
        where attempt.spend_id = leased.spend_id) as "sinceSlot",
      session.live_slot is not null as "sessionWasLive"
    from leased
    join spend on spend.spend_id = leased.spend_id
    join session on session.session_id = leased.session_id
  `);
}
