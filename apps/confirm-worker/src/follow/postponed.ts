import type { Database } from '@agent-wallet/db';
import { sql } from 'slonik';
import { z } from 'zod';

/** With doubled pauses from one second on, the ninth try is about four minutes after the first. */
const MAX_TRIES = 9;
const RETRY_SKIPPED_MINUTES = 10;
const MOST_REASON_CHARS = 300;

/**
 * Records that a transaction could not be read or applied, and when to try again. Returns whether
 * it counts as skipped from now on, which happens once, after several minutes of tries.
 */
export async function postponeTransaction(
  db: Database,
  transaction: { readonly signature: string; readonly slot: bigint; readonly reason: string },
): Promise<boolean> {
  const { signature, slot } = transaction;
  // The words may be a node's. Postgres refuses U+0000 and unpaired surrogates.
  const reason = transaction.reason
    .slice(0, MOST_REASON_CHARS)
    .toWellFormed()
    .replaceAll('\0', '\uFFFD');
  // A second follower that comes to it before it is due does not count as a try.
  const tried = await db.maybeOne(sql.type(z.object({ isSkippedNow: z.boolean() }))`
    insert into postponed_transaction as postponed (signature, slot, reason, look_at)
    values (${signature}, ${slot}, ${reason}, now() + interval '1 second')
    on conflict (signature) do update
    set reason = excluded.reason, tries = postponed.tries + 1,
      skipped_at = case when postponed.tries + 1 >= ${MAX_TRIES}
        then coalesce(postponed.skipped_at, now()) end,
      look_at = now() + case when postponed.tries + 1 >= ${MAX_TRIES}
        then ${RETRY_SKIPPED_MINUTES} * interval '1 minute'
        else power(2, postponed.tries) * interval '1 second' end
    where postponed.look_at <= now()
    returning coalesce(skipped_at = now(), false) as "isSkippedNow"
  `);
  return tried?.isSkippedNow ?? false;
}

/** Deletes the records of transactions that were read and applied after all. */
export async function forgetPostponed(db: Database, signatures: readonly string[]): Promise<void> {
  if (signatures.length === 0) return;
  await db.query(sql.unsafe`
    delete from postponed_transaction where signature = any(${sql.array([...signatures], 'text')})
  `);
}

/** Whether a transaction up to `slot` is still tried, and does not count as skipped yet. */
export async function isAnyPostponed(db: Database, slot: bigint): Promise<boolean> {
  return db.exists(sql.unsafe`
    select 1 from postponed_transaction where skipped_at is null and slot <= ${slot}
  `);
}
