import type { SqlTransaction } from '@agent-wallet/db';
import { sql } from 'slonik';
import { z } from 'zod';

/** What one session may cost: lamports of fees on a day of UTC, reverted spends in 24 hours. */
export type Budgets = { readonly lamportsPerDay: bigint; readonly revertsPerDay: number };

/** A budget that is used up, and when there is room again. */
export type UsedUp = { readonly budget: 'fees' | 'reverts'; readonly retryAfterSeconds: number };

const usedRow = z.object({
  feeLamports: z.bigint(),
  secondsToMidnight: z.number(),
  reverts: z.number(),
  secondsToOldestLeaves: z.number(),
});

/**
 * The budget that a session has used up; null when there is room. Each signed attempt counts its
 * fee, also one that the program refuses in preflight and that costs nothing in the end: the budget
 * bounds what could be paid. Only a spend that landed and failed counts as a revert.
 */
export async function readUsedUp(
  tx: SqlTransaction,
  sessionId: string,
  budgets: Budgets,
): Promise<UsedUp | null> {
  const used = await tx.one(sql.type(usedRow)`
    select
      case when fee_day = (now() at time zone 'utc')::date then fee_lamports else 0::bigint end
        as "feeLamports",
      ceil(extract(epoch from
        date_trunc('day', now() at time zone 'utc') + interval '1 day' - (now() at time zone 'utc'))
      )::int as "secondsToMidnight",
      reverted.count as reverts, reverted.seconds as "secondsToOldestLeaves"
    from session, lateral (
      select count(*)::int as count,
        coalesce(ceil(extract(epoch from min(settled_at) + interval '24 hours' - now())), 0)::int
          as seconds
      from spend
      where spend.session_id = session.session_id and landed_error
        and settled_at > now() - interval '24 hours'
    ) reverted
    where session.session_id = ${sessionId}::uuid
  `);
  if (used.feeLamports >= budgets.lamportsPerDay) {
    return { budget: 'fees', retryAfterSeconds: used.secondsToMidnight };
  }
  if (used.reverts >= budgets.revertsPerDay) {
    return { budget: 'reverts', retryAfterSeconds: used.secondsToOldestLeaves };
  }
  return null;
}
