import type { Database } from '@agent-wallet/db';
import { sql } from 'slonik';
import { z } from 'zod';

const backlogRow = z.object({
  queued: z.number(),
  inFlight: z.number(),
  /** Base units that open spends hold. */
  reserved: z.bigint(),
  oldestQueuedSeconds: z.number(),
  oldestInFlightSeconds: z.number(),
});

/** How much is open, and since when; ages are 0 when nothing is. */
export type Backlog = z.output<typeof backlogRow>;

/** Counts the open spends of the whole system on the database's clock. */
export async function readBacklog(db: Database): Promise<Backlog> {
  return db.one(sql.type(backlogRow)`
    select count(*) filter (where status = 'queued')::int as queued,
      count(*) filter (where status = 'in_flight')::int as "inFlight",
      coalesce(sum(reserved), 0)::numeric as reserved,
      coalesce(extract(epoch from now() - min(created_at) filter (where status = 'queued')), 0)
        ::float8 as "oldestQueuedSeconds",
      coalesce(extract(epoch from now() - min(claimed_at) filter (where status = 'in_flight')), 0)
        ::float8 as "oldestInFlightSeconds"
    from spend where settled_at is null
  `);
}
