import { sql } from 'slonik';
import { z } from 'zod';
import type { Database } from './database.ts';
import { sqlStateOf } from './faults.ts';
import { readMigrations, readRoles, ROLES_FILE } from './migration-files.ts';

/** The schema of a database is not that of this version. The message says what to do. */
export class SchemaError extends Error {
  override readonly name = 'SchemaError';
}

/** The migrations of this version and those of a database, by name. */
export type SchemaState = {
  readonly applied: readonly string[];
  readonly pending: readonly string[];
  /** Applied with another text than that of this version. */
  readonly changed: readonly string[];
  /** Applied, and not part of this version. */
  readonly unknown: readonly string[];
  /** Whether the rights of the roles are those of this version. */
  readonly areRolesCurrent: boolean;
};

const appliedRow = z.object({ name: z.string(), checksum: z.string() });
const NO_TABLE = '42P01';
const DENIED = '42501';
const REMEDY = 'run `npm run migrate` with this version first';

type Reader = Pick<Database, 'any'>;

/** Compares the schema of a database with this version. A database without any has all pending. */
export async function readSchema(db: Reader): Promise<SchemaState> {
  const [files, roles, rows] = await Promise.all([readMigrations(), readRoles(), readApplied(db)]);
  const checksums = new Map(rows.map(({ name, checksum }) => [name, checksum]));
  const names = files.map(({ name }) => name);
  const known = new Set([...names, ROLES_FILE]);
  return {
    applied: names.filter((name) => checksums.has(name)),
    pending: names.filter((name) => !checksums.has(name)),
    changed: files.flatMap(({ name, checksum }) => {
      const stored = checksums.get(name);
      return stored === undefined || stored === checksum ? [] : [name];
    }),
    unknown: rows.flatMap(({ name }) => (known.has(name) ? [] : [name])),
    areRolesCurrent: checksums.get(ROLES_FILE) === roles.checksum,
  };
}

async function readApplied(db: Reader): Promise<readonly z.output<typeof appliedRow>[]> {
  try {
    return await db.any(sql.type(appliedRow)`select name, checksum from migration order by name`);
  } catch (error) {
    if (sqlStateOf(error) === NO_TABLE) return [];
    if (sqlStateOf(error) !== DENIED) throw error;
    const message = `this login may not read which migrations the database has: ${REMEDY}`;
    throw new SchemaError(message, { cause: error });
  }
}

/** Throws a SchemaError unless schema and rights are exactly those of this version. */
export async function requireCurrentSchema(db: Reader): Promise<void> {
  const { pending, changed, unknown, areRolesCurrent } = await readSchema(db);
  if (unknown.length > 0) {
    throw new SchemaError(
      `the database has migrations of a newer version (${namesOf(unknown)}): start that version`,
    );
  }
  if (changed.length > 0) {
    throw new SchemaError(
      `the database has migrations with another text (${namesOf(changed)}): start the version that applied them`,
    );
  }
  if (pending.length > 0) {
    throw new SchemaError(
      `the database lacks migrations of this version (${namesOf(pending)}): ${REMEDY}`,
    );
  }
  if (!areRolesCurrent) {
    throw new SchemaError(`the rights of the roles are of another version: ${REMEDY}`);
  }
}

function namesOf(names: readonly string[]): string {
  const last = names.at(-1) ?? '';
  return names.length === 1 ? last : `${names.length}, the last is ${last}`;
}
