import { sql } from 'slonik';
import { z } from 'zod';
import type { Database } from './database.ts';

const recoveryRow = z.object({
  isOpen: z.boolean(),
  isOtherDatabase: z.boolean(),
  shutAtHeight: z.bigint().nullable(),
  reason: z.string().nullable(),
});

/**
 * Whether acceptance and lanes are open. They are not after a failover or a restore: bytes signed
 * before it may still land, and this database may not know them.
 */
export type Recovery = z.output<typeof recoveryRow>;

/** Reads the state; null before the first start of this database. */
export async function readRecovery(db: Database): Promise<Recovery | null> {
  return db.maybeOne(sql.type(recoveryRow)`
    select is_open() as "isOpen", identity <> database_identity() as "isOtherDatabase",
      shut_at_height as "shutAtHeight", shut_reason as reason
    from deployment
  `);
}

/**
 * Shuts acceptance and lanes as of this block height, that of the confirmed tip. A later call moves the height up:
 * whatever was noticed last decides how long to wait.
 */
export async function shut(
  db: Database,
  { height, reason }: { readonly height: bigint; readonly reason: string },
): Promise<void> {
  await db.query(sql.unsafe`
    update deployment
    set shut_at_height = greatest(shut_at_height, ${height}),
      shut_reason = coalesce(shut_reason, ${reason})
  `);
}

/**
 * Opens again, unless somebody has shut at a later height meanwhile. Call it only when everything
 * that could have been signed before is settled. True when it is open now.
 */
export async function reopen(
  db: Database,
  { shutAtHeight }: { readonly shutAtHeight: bigint },
): Promise<boolean> {
  const opened = await db.maybeOne(sql.unsafe`
    update deployment
    set shut_at_height = null, shut_reason = null, identity = database_identity()
    where shut_at_height = ${shutAtHeight}
    returning 1 as one
  `);
  return opened !== null;
}
