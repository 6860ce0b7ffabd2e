import { setTimeout as delay } from 'node:timers/promises';
import { AppError } from '@agent-wallet/errors';
import { Client } from 'pg';
import { isLockFault, isRolledBack } from './faults.ts';
import { type MigrationFile, readMigrations } from './migration-files.ts';

/** An arbitrary constant that all migrators of one database share. */
const ADVISORY_LOCK = 7_341_902;
const LOCK_POLL_MS = 200;
const MIGRATORS_WAIT_MS = 10 * 60_000;
/**
 * A statement that waits for a table's lock holds up everything that comes after it. So it waits
 * briefly, and the whole file is tried again.
 */
const LOCK_TIMEOUT_MS = 1_000;
const RETRY_DELAY_MS = 500;
const MOST_TRIES = 200;

/** First line of a file with one statement that Postgres runs only outside an SQL transaction. */
const OUTSIDE = '-- outside a transaction';
const NEW_INDEX = /create\s+(?:unique\s+)?index\s+concurrently\s+(?:if\s+not\s+exists\s+)?(\w+)/i;

type Options = {
  readonly log?: (line: string) => void;
  /** By default the migrations of this version. */
  readonly directory?: URL;
};

/**
 * Applies `migrations/NNNN_noun.sql` in order, forward only, each in an SQL transaction of its own
 * and all under an advisory lock, while processes run: it waits at most a second for a lock of a
 * table, and tries again. Throws when an applied file was changed, or when a lock stays held.
 *
 * Through `pg`, because slonik refuses multi-statement text.
 */
export async function migrate(databaseUrl: string, options: Options = {}): Promise<void> {
  const { log = () => {}, directory } = options;
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
    for (const file of await readMigrations(directory)) await applyOnce(client, file, log);
  } finally {
    await client.end();
  }
}

/**
 * Waits for every other migrator of this database. The lock ends with the connection. Throws when
 * another one holds it for ten minutes.
 */
export async function holdMigrationLock(client: Client): Promise<void> {
  const deadline = performance.now() + MIGRATORS_WAIT_MS;
  for (;;) {
    // Not one long wait: an index that is created concurrently waits for all open statements.
    const { rows } = await client.query<{ held: boolean }>(
      'select pg_try_advisory_lock($1) as held',
      [ADVISORY_LOCK],
    );
    if (rows[0]?.held === true) return;
    if (performance.now() > deadline) {
      throw new AppError('SERVER_MISCONFIGURED', { reason: 'another migration does not end' });
    }
    await delay(LOCK_POLL_MS);
  }
}

async function applyOnce(
  client: Client,
  file: MigrationFile,
  log: (line: string) => void,
): Promise<void> {
  const { name, checksum } = file;
  const applied = await client.query<{ checksum: string }>(
    'select checksum from migration where name = $1',
    [name],
  );
  const known = applied.rows[0];
  if (known !== undefined) {
    if (known.checksum === checksum) return;
    throw new AppError('SERVER_MISCONFIGURED', { reason: `migration ${name} was changed` });
  }
  await applyWhenFree(client, file, log);
  log(`applied ${name}`);
}

async function applyWhenFree(
  client: Client,
  file: MigrationFile,
  log: (line: string) => void,
): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    try {
      await (file.text.startsWith(OUTSIDE)
        ? applyOutside(client, file)
        : applyInside(client, file));
      return;
    } catch (cause) {
      const isBusy = isLockFault(cause) || isRolledBack(cause);
      if (!isBusy || tries === MOST_TRIES) {
        const reason = isBusy
          ? `migration ${file.name} got no lock in ${MOST_TRIES} tries`
          : `migration ${file.name} failed`;
        throw new AppError('SERVER_MISCONFIGURED', { reason }, { cause });
      }
      if (tries === 1) log(`${file.name} waits for a lock of a table`);
      await delay(RETRY_DELAY_MS);
    }
  }
}

async function applyInside(client: Client, file: MigrationFile): Promise<void> {
  await client.query('begin');
  try {
    await client.query(`set local lock_timeout = ${LOCK_TIMEOUT_MS}`);
    await client.query(file.text);
    await record(client, file);
    await client.query('commit');
  } catch (error) {
    await client.query('rollback');
    throw error;
  }
}

/** The statement must do nothing the second time: it may be applied and not recorded. */
async function applyOutside(client: Client, file: MigrationFile): Promise<void> {
  const index = NEW_INDEX.exec(file.text)?.[1];
  if (index !== undefined) await dropInvalidIndex(client, index);
  await client.query(file.text);
  await record(client, file);
}

/** What an interrupted try leaves is used by no query, and `if not exists` would keep it. */
async function dropInvalidIndex(client: Client, name: string): Promise<void> {
  const { rowCount } = await client.query(
    'select 1 from pg_index where indexrelid = to_regclass($1) and not indisvalid',
    [name],
  );
  if (rowCount !== 0) {
    await client.query(`drop index concurrently ${client.escapeIdentifier(name)}`);
  }
}

const record = (client: Client, { name, checksum }: MigrationFile) =>
  client.query('insert into migration (name, checksum) values ($1, $2)', [name, checksum]);
