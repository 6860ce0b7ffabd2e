import type { Database } from '@agent-wallet/db';
import { sql } from 'slonik';
import { z } from 'zod';

const capsRow = z.object({
  sessions: z.number(),
  within24h: z.bigint(),
  untilExpiry: z.bigint(),
});

/** Sums over the sessions that can pay a recipient, base units. */
export type Caps = z.output<typeof capsRow>;

/**
 * What the session keys of all wallets together could move at the most, by the rows alone: whatever
 * was spent before, no session moves more than its daily cap within 24 hours, nor more than that
 * once now and once more every 25 hours until its expiry. What vaults hold, and pauses, are left
 * out, so the chain never lets more through.
 */
export async function sumCaps(db: Database): Promise<Caps> {
  return db.one(sql.type(capsRow)`
    with clock as (select extract(epoch from now())::bigint as now)
    select count(*)::int as sessions, coalesce(sum(daily_cap), 0) as "within24h",
      coalesce(sum(daily_cap * (1 + (expiry / 3600 - clock.now / 3600) / 25)), 0)
        as "untilExpiry"
    from session, clock
    where status = 'live' and expiry >= clock.now and allowed_instructions & 1 = 1
      and cardinality(allowed_recipients) > 0
  `);
}
