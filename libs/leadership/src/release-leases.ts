import type { Database } from '@agent-wallet/db';
import { sql } from 'slonik';

/** Gives leases back before they end. A lease that another holder has by now stays as it is. */
export async function releaseLeases(
  db: Database,
  leases: { readonly tasks: readonly string[]; readonly holder: string },
): Promise<void> {
  if (leases.tasks.length === 0) return;
  await db.query(sql.unsafe`
    update leadership set lease_until = '-infinity', holder = null
    where task in (
      select task from leadership
      where task = any(${sql.array([...leases.tasks], 'text')}) and holder = ${leases.holder}
      order by task
      for no key update
    )
  `);
}
