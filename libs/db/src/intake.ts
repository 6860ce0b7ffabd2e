import { type FragmentSqlToken, sql } from 'slonik';
import { z } from 'zod';
import type { Database } from './database.ts';

const intakeRow = z.object({
  isOpen: z.boolean(),
  isOtherDatabase: z.boolean(),
  identity: z.string(),
  closedAtHeight: z.bigint().nullable(),
  reason: z.string().nullable(),
  /** When an operator drained the service; nothing is accepted since, and lanes go on. */
  drainedAt: z.date().nullable(),
});

/**
 * Whether spends are accepted and lanes run. Both stop after a failover or a restore, because bytes
 * signed earlier may still land and this database may not know them. `identity` is that of the
 * database which was read; a failover or a restore changes it.
 */
export type Intake = z.output<typeof intakeRow>;

/** The condition on `deployment` that the database has changed since intake was last opened. */
export const IS_OTHER_DATABASE = sql.fragment`identity <> database_identity()`;

/** Returns the state of the intake; null before the first start on this database. */
export async function readIntake(db: Database): Promise<Intake | null> {
  return db.maybeOne(sql.type(intakeRow)`
    select is_open() as "isOpen", ${IS_OTHER_DATABASE} as "isOtherDatabase",
      database_identity() as identity,
      shut_at_height as "closedAtHeight", shut_reason as reason, drained_at as "drainedAt"
    from deployment
  `);
}

/**
 * Closes the intake as of `height`, the block height of the confirmed tip. A later call can only
 * raise the height, because the latest finding decides how long to wait. `onlyIf` states the
 * finding as a condition. A process may be stopped for long after its finding, so the statement
 * that closes intake for every wallet checks it once more. Returns whether this call closed it.
 */
export async function closeIntake(
  db: Database,
  {
    height,
    reason,
    onlyIf = sql.fragment`true`,
  }: { readonly height: bigint; readonly reason: string; readonly onlyIf?: FragmentSqlToken },
): Promise<boolean> {
  const closed = await db.maybeOne(sql.unsafe`
    update deployment
    set shut_at_height = greatest(shut_at_height, ${height}),
      shut_reason = coalesce(shut_reason, ${reason})
    where ${onlyIf}
    returning 1 as one
  `);
  return closed !== null;
}

/**
 * Opens the intake unless it was closed again at a greater height. The caller must have settled
 * every spend that could have been signed before, in the database of this `identity`: another one
 * stays closed. Returns whether this call opened it.
 */
export async function openIntake(
  db: Database,
  { closedAtHeight, identity }: { readonly closedAtHeight: bigint; readonly identity: string },
): Promise<boolean> {
  const opened = await db.maybeOne(sql.unsafe`
    update deployment
    set shut_at_height = null, shut_reason = null, identity = database_identity()
    where shut_at_height = ${closedAtHeight} and database_identity() = ${identity}
    returning 1 as one
  `);
  return opened !== null;
}

/**
 * Stops the acceptance of spends until it is resumed, or resumes it. Lanes and looks go on in both
 * cases. Returns since when nothing is accepted; null while spends are, and before the first start.
 */
export async function setDrained(
  db: Database,
  { isDrained }: { readonly isDrained: boolean },
): Promise<Date | null> {
  const drained = await db.maybeOne(sql.type(z.object({ since: z.date().nullable() }))`
    update deployment
    set drained_at = case when ${isDrained}::boolean then coalesce(drained_at, now()) end
    returning drained_at as since
  `);
  return drained?.since ?? null;
}
