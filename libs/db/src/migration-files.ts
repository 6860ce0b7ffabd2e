import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';

const MIGRATIONS_DIR = new URL('../../../migrations/', import.meta.url);
const MIGRATION_FILE = /^\d{4}_.+\.sql$/;
/** The file of all rights, which is applied again whenever it has changed. */
export const ROLES_FILE = 'roles.sql';

/** A file of `migrations`. The database keeps the checksum of what was applied. */
export type MigrationFile = {
  readonly name: string;
  readonly text: string;
  readonly checksum: string;
};

/** The migrations of this version in their order. */
export async function readMigrations(
  directory: URL = MIGRATIONS_DIR,
): Promise<readonly MigrationFile[]> {
  const names = (await readdir(directory)).filter((name) => MIGRATION_FILE.test(name));
  return Promise.all(names.toSorted().map((name) => readMigration(name, directory)));
}

export const readRoles = (): Promise<MigrationFile> => readMigration(ROLES_FILE, MIGRATIONS_DIR);

async function readMigration(name: string, directory: URL): Promise<MigrationFile> {
  const text = await readFile(new URL(name, directory), 'utf8');
  return { name, text, checksum: createHash('sha256').update(text).digest('hex') };
}
