import { randomBytes } from 'node:crypto';
import { mkdtempSync } from 'node:fs';
import { chmod, mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client } from 'pg';
import { z } from 'zod';
import { LOCAL_DIR } from '../system/running-system.ts';
import { startOverChannel } from '../process/parent-channel.ts';
import { StartError } from '../system/start-error.ts';
import { canReach, runUser } from './postgres-binaries.ts';
import { startProcess, type SupervisedProcess } from '../process/supervised-process.ts';

const START_TIMEOUT_MS = 90_000;
const STOP_GRACE_MS = 15_000;
const USER = 'wallet';
const DATABASE = 'agent_wallet';

/** The options that the supervisor sends to the process that runs Postgres. */
export const postgresOptionsSchema = z.object({
  /** In a parent folder used for this cluster only. Exists only if a kept cluster is continued. */
  clusterDir: z.string(),
  /** Whether the cluster stays when the server stops. */
  keeps: z.boolean(),
  user: z.string(),
  password: z.string(),
  /** Off loses committed data if the machine crashes (not if a process is killed). */
  fsync: z.boolean(),
  /** The folder of this clone for copies of new clusters. */
  copiesDir: z.string(),
  /** A data directory to move into place; null: a new cluster. */
  copy: z.string().nullable(),
  /** Further settings of the server, as in `postgresql.conf`. */
  settings: z.record(z.string(), z.string()),
});

export const postgresReadySchema = z.object({ port: z.int() });

export type PostgresOptions = z.infer<typeof postgresOptionsSchema>;
export type PostgresReady = z.infer<typeof postgresReadySchema>;

export interface EmbeddedPostgres {
  /** Connection string of the database `agent_wallet`, with the password. */
  readonly url: string;
  readonly process: SupervisedProcess;
  stop(): Promise<void>;
}

/**
 * Starts PostgreSQL with a new cluster under `dataDir`, reachable from this machine only, with a
 * random password. It ends with the process that started it.
 *
 * Each start makes a new cluster in a new folder: the embedded chain is new as well, and rows about
 * another chain would be wrong. So leftovers of a killed run (a lock file, a running server) cannot
 * interfere.
 *
 * Keep `fsync` on for measurements and demos. Tests run faster without it, and a kill -9 loses
 * nothing; only a crash of the machine does. `restore` moves a copy of such a cluster's data
 * directory into place instead of creating a cluster. Throws StartError when the platform has no
 * build or the server does not start in 90 s.
 *
 * With `keep`, the cluster stays in that folder with that password, and the next start continues
 * it.
 */
export async function startEmbeddedPostgres(options: {
  readonly dataDir: string;
  readonly logFile: string;
  readonly fsync: boolean;
  readonly settings?: Readonly<Record<string, string>>;
  readonly restore?: { readonly copy: string; readonly password: string };
  readonly keep?: { readonly folder: string; readonly password: string };
}): Promise<EmbeddedPostgres> {
  const { keep } = options;
  const folder =
    keep === undefined
      ? await makeReachableFolder(options.dataDir)
      : await openKeptFolder(keep.folder);
  const supervised = startProcess({
    name: 'postgres',
    entry: fileURLToPath(new URL('./postgres-process.ts', import.meta.url)),
    env: {},
    logFile: options.logFile,
    exitsWithParent: false,
  });
  const password =
    keep?.password ?? options.restore?.password ?? randomBytes(24).toString('base64url');
  const postgresOptions: PostgresOptions = {
    clusterDir: join(folder, 'cluster'),
    keeps: keep !== undefined,
    user: USER,
    password,
    fsync: options.fsync,
    copiesDir: join(LOCAL_DIR, 'postgres'),
    copy: options.restore?.copy ?? null,
    settings: { ...options.settings },
  };
  async function stop(): Promise<void> {
    await supervised.stop(STOP_GRACE_MS);
    if (keep === undefined) await rm(folder, { recursive: true, force: true });
  }
  try {
    const { port } = await startOverChannel(
      supervised,
      postgresOptions,
      postgresReadySchema,
      START_TIMEOUT_MS,
    );
    const base = `postgres://${USER}:${password}@127.0.0.1:${port}`;
    if (options.restore === undefined) await createDatabase(`${base}/postgres`, DATABASE);
    return { url: `${base}/${DATABASE}`, process: supervised, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function openKeptFolder(folder: string): Promise<string> {
  await mkdir(folder, { recursive: true, mode: 0o711 });
  if (canReach(runUser(), folder)) return folder;
  throw new StartError(
    `Postgres cannot run as root, and its user cannot reach ${folder}: --keep needs a clone elsewhere.`,
  );
}

/** A new folder in `dataDir`; in /tmp if the user whom Postgres runs as cannot reach that one. */
async function makeReachableFolder(dataDir: string): Promise<string> {
  await mkdir(dataDir, { recursive: true });
  const wanted = mkdtempSync(join(dataDir, 'postgres-'));
  await chmod(wanted, 0o711);
  if (canReach(runUser(), wanted)) return wanted;
  await rm(wanted, { recursive: true });
  const reachable = mkdtempSync('/tmp/agent-wallet-postgres-');
  await chmod(reachable, 0o711);
  return reachable;
}

/** Unless it exists, in a kept cluster. */
async function createDatabase(adminUrl: string, name: string): Promise<void> {
  const client = new Client({ connectionString: adminUrl });
  await client.connect();
  try {
    const known = await client.query('select 1 from pg_database where datname = $1', [name]);
    if (known.rowCount === 0) {
      await client.query(`create database ${client.escapeIdentifier(name)}`);
    }
  } finally {
    await client.end();
  }
}
