import type { Database } from '@agent-wallet/db';
import { sql } from 'slonik';

/**
 * Removes the bodies of answers that were delivered more than `keptDays` ago, at most `limit` of
 * them, oldest first; returns how many. Status, headers, the body's SHA-256 and all the rest of the
 * record stay, and so does every answer of what was paid for and not delivered.
 */
export async function forgetAnswers(
  db: Database,
  { keptDays, limit }: { readonly keptDays: number; readonly limit: number },
): Promise<number> {
  const forgotten = await db.any(sql.unsafe`
    update delivery set upstream_body_sha256 = sha256(upstream_body), upstream_body = null
    where spend_id in (
      select spend_id from delivery
      where state = 'delivered' and upstream_body is not null
        and delivered_at < now() - ${keptDays} * interval '1 day'
      order by delivered_at
      limit ${limit}
      for update skip locked)
    returning 1 as one
  `);
  return forgotten.length;
}
