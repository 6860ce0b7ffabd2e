import type { Database } from '@agent-wallet/db';
import { sql } from 'slonik';
import { z } from 'zod';

/**
 * Watches again the attempts of landings that the chain no longer shows: the one that landed, and
 * the newest, whose last valid height is the highest. The watch then proves their outcome. Returns
 * the spends that were not watched already.
 */
export async function watchAgain(
  db: Database,
  spendIds: readonly string[],
): Promise<readonly string[]> {
  if (spendIds.length === 0) return [];
  const watched = await db.any(sql.type(z.object({ spendId: z.string() }))`
    with gone as (
      select attempt.spend_id, attempt.attempt from attempt
      join spend on spend.spend_id = attempt.spend_id
      where attempt.spend_id = any(${sql.array([...spendIds], 'uuid')})
        and spend.status in ('confirmed', 'reverted') and attempt.state <> 'watching'
        and (attempt.signature = spend.tx_signature or attempt.attempt = spend.attempt)
      order by attempt.spend_id, attempt.attempt
      for update of attempt
    ), reopened as (
      update attempt set state = 'watching'
      from gone
      where attempt.spend_id = gone.spend_id and attempt.attempt = gone.attempt
      returning attempt.spend_id, attempt.attempt
    )
    insert into attempt_watch (spend_id, attempt, look_at)
    select spend_id, attempt, now() from reopened
    returning spend_id as "spendId"
  `);
  return [...new Set(watched.map(({ spendId }) => spendId))];
}
