import { randomBytes } from 'node:crypto';
import { mkdtempSync } from 'node:fs';
import { chmod, mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client } from 'pg';
import { z } from 'zod';
import { startOverChannel } from '../process/parent-channel.ts';
import { canReach, runUser } from './postgres-binaries.ts';
import { startProcess, type SupervisedProcess } from '../process/supervised-process.ts';

const START_TIMEOUT_MS = 90_000;
const STOP_GRACE_MS = 15_000;
const USER = 'wallet';
const DATABASE = 'agent_wallet';

/** What the supervisor tells the process that runs Postgres. */
export const postgresOptionsSchema = z.object({
  /** A folder that does not exist, in one that is for this cluster alone. */
  clusterDir: z.string(),
  user: z.string(),
  password: z.string(),
  /** Off loses committed data if the machine crashes (not if a process is killed). */
  fsync: z.boolean(),
  /** A data directory to go on with, which is moved away; null: a new cluster. */
  copy: z.string().nullable(),
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
 * Starts a PostgreSQL of its own: a new cluster under `dataDir`, reachable from this machine only,
 * with a random password. It ends with the process that started it.
 *
 * Every start makes a new cluster in a new folder, because the embedded chain begins anew with each
 * start as well, and rows about another chain would be wrong. So nothing that a killed run left
 * behind (a lock file, a server that still runs) can be in the way.
 * @param fsync keep it on where someone measures or demonstrates; tests, whose cluster nobody reads
 *   after a crash of the machine, run faster without it and lose nothing by a kill -9
 * @param restore goes on with a copy of such a cluster's data directory, which is used up, instead
 * @throws StartError when the platform has no build, or the server does not start in 90 s.
 */
export async function startEmbeddedPostgres(options: {
  readonly dataDir: string;
  readonly logFile: string;
  readonly fsync: boolean;
  readonly restore?: { readonly copy: string; readonly password: string };
}): Promise<EmbeddedPostgres> {
  const folder = await makeReachableFolder(options.dataDir);
  const supervised = startProcess({
    name: 'postgres',
    entry: fileURLToPath(new URL('./postgres-process.ts', import.meta.url)),
    env: {},
    logFile: options.logFile,
    exitsWithParent: false,
  });
  const password = options.restore?.password ?? randomBytes(24).toString('base64url');
  const asked: PostgresOptions = {
    clusterDir: join(folder, 'cluster'),
    user: USER,
    password,
    fsync: options.fsync,
    copy: options.restore?.copy ?? null,
  };
  async function stop(): Promise<void> {
    await supervised.stop(STOP_GRACE_MS);
    await rm(folder, { recursive: true, force: true });
  }
  try {
    const { port } = await startOverChannel(
      supervised,
      asked,
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

async function createDatabase(adminUrl: string, name: string): Promise<void> {
  const client = new Client({ connectionString: adminUrl });
  await client.connect();
  try {
    await client.query(`create database ${client.escapeIdentifier(name)}`);
  } finally {
    await client.end();
  }
}
