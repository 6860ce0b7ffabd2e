import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { AppError } from '@agent-wallet/errors';
import { Client } from 'pg';

const MIGRATIONS_DIR = new URL('../../../migrations/', import.meta.url);
const MIGRATION_FILE = /^\d{4}_.+\.sql$/;
/** An arbitrary constant that all migrators of one database share. */
const ADVISORY_LOCK = 7_341_902;

/**
 * Applies `migrations/NNNN_noun.sql` in order, forward only, each in an SQL transaction of its own
 * and all under an advisory lock. Throws when an applied file was changed.
 *
 * Through `pg`, because slonik refuses multi-statement text.
 */
export async function migrate(
  databaseUrl: string,
  log: (line: string) => void = () => {},
): Promise<void> {
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    await holdMigrationLock(client);
    await client.query(`
      create table if not exists migration (
        name text not null,
        checksum text not null,
        applied_at timestamptz not null default now(),
        constraint migration_pkey primary key (name)
      )`);
    const files = (await readdir(MIGRATIONS_DIR))
      .filter((name) => MIGRATION_FILE.test(name))
      .toSorted();
    for (const name of files) await applyFile(client, name, log);
  } finally {
    await client.end();
  }
}

/** Waits for every other migrator of this database. The lock ends with the connection. */
export async function holdMigrationLock(client: Client): Promise<void> {
  await client.query('select pg_advisory_lock($1)', [ADVISORY_LOCK]);
}

async function applyFile(client: Client, name: string, log: (line: string) => void): Promise<void> {
  const text = await readFile(new URL(name, MIGRATIONS_DIR), 'utf8');
  const checksum = createHash('sha256').update(text).digest('hex');
  const applied = await client.query<{ checksum: string }>(
    'select checksum from migration where name = $1',
    [name],
  );
  const known = applied.rows[0];
  if (known !== undefined) {
    if (known.checksum === checksum) return;
    throw new AppError('SERVER_MISCONFIGURED', { reason: `migration ${name} was changed` });
  }
  await client.query('begin');
  try {
    await client.query(text);
    await client.query('insert into migration (name, checksum) values ($1, $2)', [name, checksum]);
    await client.query('commit');
  } catch (cause) {
    await client.query('rollback');
    throw new AppError('SERVER_MISCONFIGURED', { reason: `migration ${name} failed` }, { cause });
  }
  log(`applied ${name}`);
}
