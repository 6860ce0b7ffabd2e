import type { Database } from '@agent-wallet/db';
import { sql } from 'slonik';
import { z } from 'zod';

const leaseRow = z.object({
  task: z.string(),
  fence: z.bigint(),
  isTakenOver: z.boolean(),
});

/**
 * The lease of a task. The fence goes up with each term. `isTakenOver`: the holder before let its
 * lease run out instead of giving it back.
 */
export type Lease = z.output<typeof leaseRow>;

/**
 * Takes the free leases of these tasks and renews those that `holder` has, for `leaseMs` on the
 * database's clock. Returns the leases that it holds now; the others belong to another holder. A
 * lease of its own that had run out is a new term.
 */
export async function takeLeases(
  db: Database,
  wanted: {
    readonly tasks: readonly string[];
    readonly holder: string;
    readonly leaseMs: number;
  },
): Promise<readonly Lease[]> {
  const { tasks, holder, leaseMs } = wanted;
  return db.any(sql.type(leaseRow)`
    with wanted as (
      select task, now() + ${leaseMs} * interval '1 millisecond' as lease_until
      from unnest(${sql.array([...tasks], 'text')}) as one (task)
    ), known as materialized (
      select leadership.task, holder from leadership join wanted on wanted.task = leadership.task
    ), held as (
      insert into leadership (task, fence, holder, lease_until)
      select task, 1, ${holder}, lease_until from wanted order by task
      on conflict (task) do update
      set fence = leadership.fence + case when leadership.lease_until < now() then 1 else 0 end,
        holder = excluded.holder, lease_until = excluded.lease_until
      where leadership.holder = excluded.holder or leadership.lease_until < now()
      returning task, fence
    )
    select held.task, held.fence, coalesce(known.holder <> ${holder}, false) as "isTakenOver"
    from held left join known on known.task = held.task
  `);
}
