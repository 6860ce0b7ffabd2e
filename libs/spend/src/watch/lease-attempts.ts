import type { Database } from '@agent-wallet/db';
import { sql } from 'slonik';
import { z } from 'zod';
import { spendRow } from '../spend.ts';
import { withoutDisk } from './without-disk.ts';

const watchedRow = spendRow
  .pick({
    spendId: true,
    walletId: true,
    sessionId: true,
    status: true,
    spendSeq: true,
    attempt: true,
    broadcasts: true,
    broadcaster: true,
    txSignature: true,
  })
  .extend({
    attemptNo: z.number(),
    signature: z.string().nullable(),
    signatureHint: z.string().nullable(),
    lastValidBlockHeight: z.bigint(),
    queuedMs: z.number().nullable(),
    storedMsAgo: z.number(),
    broadcastMsAgo: z.number().nullable(),
    sessionPda: z.string(),
    sessionIndex: z.bigint(),
    sinceSlot: z.bigint(),
    isHinted: z.boolean(),
  });

/**
 * An attempt whose fate is open, with what a look needs of its spend as it stood when it was
 * leased. `attemptNo` is the attempt that is watched, `attempt` the newest one of the spend.
 * `sinceSlot`: nothing of this spend can have landed before it. `signature` is null while only a
 * facilitator could know it; `signatureHint` is what a service has named, to be checked and never
 * believed. `queuedMs` is how long the spend waited for its first claim. `isHinted`: it was leased
 * by its signature.
 */
export type WatchedAttempt = z.output<typeof watchedRow>;

/**
 * Leases the attempts with the given signatures, and the due ones, oldest first, so that several
 * confirm-workers share the work. Due are those whose look is overdue by `overdueMs`: while hints
 * come, a look without one can wait. The lease only saves work: every verdict is a conditional
 * update.
 */
export async function leaseAttempts(
  db: Database,
  lease: {
    readonly signatures?: readonly string[];
    readonly overdueMs?: number;
    readonly leaseMs: number;
    readonly limit: number;
  },
): Promise<readonly WatchedAttempt[]> {
  const { signatures = [], overdueMs = 0, leaseMs, limit } = lease;
  return db.any(sql.type(watchedRow)`
    with hinted as (
      select watch.spend_id, watch.attempt
      from attempt join attempt_watch as watch
        on watch.spend_id = attempt.spend_id and watch.attempt = attempt.attempt
      where attempt.signature = any(${sql.array([...signatures], 'text')}) and watch_until < now()
      for update of watch skip locked
    ), due as (
      select spend_id, attempt from attempt_watch
      where look_at <= now() - ${overdueMs} * interval '1 millisecond' and watch_until < now()
      order by look_at
      limit ${limit}
      for update skip locked
    ), looked as (
      select spend_id, attempt, bool_or(is_hinted) as is_hinted
      from (select *, true as is_hinted from hinted union all select *, false from due) as found
      group by spend_id, attempt
    ), leased as (
      update attempt_watch as watch
      set watch_until = now() + ${leaseMs} * interval '1 millisecond'
      from looked, ${withoutDisk}
      where watch.spend_id = looked.spend_id and watch.attempt = looked.attempt
      returning watch.spend_id, watch.attempt, watch.last_broadcast_at, looked.is_hinted
    )
    select spend.spend_id as "spendId", spend.wallet_id as "walletId",
      spend.session_id as "sessionId", spend.status, spend.spend_seq as "spendSeq", spend.attempt,
      spend.broadcasts, spend.broadcaster, spend.tx_signature as "txSignature",
      leased.attempt as "attemptNo", stored.signature, spend.signature_hint as "signatureHint",
      stored.last_valid_block_height as "lastValidBlockHeight",
      extract(epoch from spend.claimed_at - spend.created_at)::float8 * 1000 as "queuedMs",
      extract(epoch from now() - stored.stored_at)::float8 * 1000 as "storedMsAgo",
      extract(epoch from now() - leased.last_broadcast_at)::float8 * 1000 as "broadcastMsAgo",
      session.session_pda as "sessionPda", stored.session_index as "sessionIndex",
      (select min(blockhash_slot) from attempt
        where attempt.spend_id = leased.spend_id) as "sinceSlot",
      leased.is_hinted as "isHinted"
    from leased
    join attempt as stored
      on stored.spend_id = leased.spend_id and stored.attempt = leased.attempt
    join spend on spend.spend_id = leased.spend_id
    join session on session.session_id = spend.session_id
  `);
}
