import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chown, mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Client } from 'pg';
import {
  type PostgresOptions,
  postgresOptionsSchema,
  type PostgresReady,
} from './embedded-postgres.ts';
import { pickFreePort } from '../process/free-port.ts';
import { type Served, serveParent } from '../process/parent-channel.ts';
import {
  type PostgresBinaries,
  preparePostgresBinaries,
  type RunUser,
  runUser,
} from './postgres-binaries.ts';
import { StartError } from '../system/start-error.ts';

const START_ATTEMPTS = 5;
const START_TIMEOUT_MS = 30_000;
const STOP_TIMEOUT_MS = 10_000;

serveParent(postgresOptionsSchema, servePostgres);

/**
 * Makes a new cluster, moves a copy into place or continues a kept one, and runs it. Tries another
 * port when the chosen one is in use by the time the server binds it.
 */
async function servePostgres(options: PostgresOptions): Promise<Served<PostgresReady>> {
  const user = runUser();
  const binaries = await preparePostgresBinaries(user, `${options.clusterDir}-programs`);
  if (options.copy !== null) await rename(options.copy, options.clusterDir);
  else if (!options.keeps || !existsSync(options.clusterDir)) {
    await makeCluster(binaries, user, options);
  }
  for (let attempt = 1; attempt <= START_ATTEMPTS; attempt += 1) {
    const port = await pickFreePort();
    const server = runServer(binaries, user, options, port);
    if (await acceptsLogins(server, options, port)) {
      const endServer = endTogether(server);
      return {
        ready: { port },
        // The supervisor may be gone, so this process removes the folder itself, with the copied
        // programs beside the cluster.
        stop: async () => {
          await endServer();
          if (options.keeps) return;
          await rm(dirname(options.clusterDir), { recursive: true, force: true });
        },
      };
    }
  }
  throw new StartError(`Postgres did not start in ${START_ATTEMPTS} attempts.`);
}

async function makeCluster(
  binaries: PostgresBinaries,
  user: RunUser,
  options: PostgresOptions,
): Promise<void> {
  await rm(options.clusterDir, { recursive: true, force: true });
  await mkdir(options.clusterDir, { recursive: true, mode: 0o700 });
  if (user.uid !== undefined && user.gid !== undefined) {
    await chown(options.clusterDir, user.uid, user.gid);
  }
  await initCluster(binaries, user, options);
}

async function initCluster(
  binaries: PostgresBinaries,
  user: RunUser,
  options: PostgresOptions,
): Promise<void> {
  const passwordFile = join(dirname(options.clusterDir), `postgres-password-${process.pid}`);
  await writeFile(passwordFile, options.password, { mode: 0o600 });
  try {
    if (user.uid !== undefined && user.gid !== undefined) {
      await chown(passwordFile, user.uid, user.gid);
    }
    const initdb = spawn(
      binaries.initdb,
      [
        `--pgdata=${options.clusterDir}`,
        `--username=${options.user}`,
        `--pwfile=${passwordFile}`,
        '--auth=scram-sha-256',
        '--encoding=UTF8',
        '--locale=C',
        // Only a kept cluster is used after a crash of the machine; others need no flush.
        ...(options.keeps ? [] : ['--no-sync']),
      ],
      { ...user, cwd: '/', env: { LC_ALL: 'C' }, stdio: ['ignore', 'inherit', 'inherit'] },
    );
    const code = await exitCode(initdb);
    if (code !== 0) throw new StartError(`initdb ended with code ${code}.`);
  } finally {
    await rm(passwordFile, { force: true });
  }
}

function runServer(
  binaries: PostgresBinaries,
  user: RunUser,
  options: PostgresOptions,
  port: number,
): ChildProcess {
  const settings = {
    listen_addresses: '127.0.0.1',
    // No socket file: its path could be too long, and a kill would leave it behind.
    unix_socket_directories: '',
    max_connections: '500',
    fsync: options.fsync ? 'on' : 'off',
    timezone: 'UTC',
    log_timezone: 'UTC',
    ...options.settings,
  };
  const flags = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  return spawn(binaries.postgres, ['-D', options.clusterDir, '-p', String(port), ...flags], {
    ...user,
    cwd: '/',
    env: { LC_ALL: 'C' },
    stdio: ['ignore', 'inherit', 'inherit'],
  });
}

/** False if the server ended before it listened (another process took its port). */
async function acceptsLogins(
  server: ChildProcess,
  options: PostgresOptions,
  port: number,
): Promise<boolean> {
  const deadline = Date.now() + START_TIMEOUT_MS;
  while (Date.now() < deadline) {
    if (server.exitCode !== null || server.signalCode !== null) return false;
    if (await canLogIn(options, port)) return true;
    await delay(50);
  }
  server.kill('SIGQUIT');
  throw new StartError(`Postgres accepted no login within ${START_TIMEOUT_MS / 1000} s.`);
}

/** Tries a complete login: the port is open before the server accepts logins. */
async function canLogIn({ user, password }: PostgresOptions, port: number): Promise<boolean> {
  const client = new Client({ host: '127.0.0.1', port, user, password, database: 'postgres' });
  client.on('error', () => undefined);
  try {
    await client.connect();
    return true;
  } catch {
    return false;
  } finally {
    await client.end().catch(() => undefined);
  }
}

/** Exits this process when the server ends by itself. The returned function stops the server. */
function endTogether(server: ChildProcess): () => Promise<void> {
  const ended = exitCode(server);
  let isStopping = false;
  void ended.then((code) => {
    if (isStopping) return;
    console.error(`Postgres ended by itself with code ${code}.`);
    process.exit(1);
  });
  return async () => {
    isStopping = true;
    // SIGINT is Postgres' fast shutdown: it closes open connections and flushes.
    server.kill('SIGINT');
    const deadline = setTimeout(() => server.kill('SIGQUIT'), STOP_TIMEOUT_MS);
    await ended;
    clearTimeout(deadline);
  };
}

function exitCode(child: ChildProcess): Promise<number | null> {
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code) => resolve(code));
  });
}
