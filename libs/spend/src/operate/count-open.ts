import type { Database } from '@agent-wallet/db';
import { sql } from 'slonik';
import { z } from 'zod';

const openRow = z.object({
  queued: z.number(),
  inFlight: z.number(),
  oldestSeconds: z.number(),
  deliveries: z.number(),
});

/** How much is not finished: spends, and requests to services that were or will be paid. */
export type OpenWork = z.output<typeof openRow>;

/** Counts what is open in the whole system. `oldestSeconds` is 0 when no spend is. */
export async function countOpen(db: Database): Promise<OpenWork> {
  return db.one(sql.type(openRow)`
    select count(*) filter (where status = 'queued')::int as queued,
      count(*) filter (where status = 'in_flight')::int as "inFlight",
      coalesce(extract(epoch from now() - min(created_at)), 0)::float8 as "oldestSeconds",
      (select count(*)::int from delivery where state in ('waiting', 'delivering')) as deliveries
    from spend where settled_at is null
  `);
}
