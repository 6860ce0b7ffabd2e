import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Client } from 'pg';
import {
  type PostgresOptions,
  postgresOptionsSchema,
  type PostgresReady,
} from './embedded-postgres.ts';
import { makeCluster } from './new-cluster.ts';
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
const LOGIN_INTERVAL_MS = 20;

serveParent(postgresOptionsSchema, servePostgres);

/**
 * Makes a new cluster, moves a copy into place or continues a kept one, and runs it. Tries another
 * port when the chosen one is in use by the time the server binds it.
 */
async function servePostgres(options: PostgresOptions): Promise<Served<PostgresReady>> {
  const user = runUser();
  const binaries = await preparePostgresBinaries(user, `${options.clusterDir}-programs`);
  const initialPassword = await prepareCluster(binaries, user, options);
  for (let attempt = 1; attempt <= START_ATTEMPTS; attempt += 1) {
    const port = await pickFreePort();
    const server = runServer(binaries, user, options, port);
    if (await acceptsLogins(server, { ...options, initialPassword, port })) {
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

/** Returns the password that the cluster has at first. */
async function prepareCluster(
  binaries: PostgresBinaries,
  user: RunUser,
  { clusterDir, keeps, copy, ...options }: PostgresOptions,
): Promise<string> {
  if (copy !== null) await rename(copy, clusterDir);
  else if (!keeps || !existsSync(clusterDir)) {
    const cluster = { ...options, clusterDir, isFlushed: keeps };
    return makeCluster(binaries, user, cluster);
  }
  return options.password;
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

type Login = {
  readonly port: number;
  readonly user: string;
  readonly initialPassword: string;
  /** The password from the first login on. */
  readonly password: string;
};

/** False if the server ended before it listened (another process took its port). */
async function acceptsLogins(server: ChildProcess, login: Login): Promise<boolean> {
  const deadline = Date.now() + START_TIMEOUT_MS;
  while (Date.now() < deadline) {
    if (server.exitCode !== null || server.signalCode !== null) return false;
    if (await logIn(login)) return true;
    await delay(LOGIN_INTERVAL_MS);
  }
  server.kill('SIGQUIT');
  throw new StartError(`Postgres accepted no login within ${START_TIMEOUT_MS / 1000} s.`);
}

/** Tries a complete login, as the port is open before the server accepts logins. */
async function logIn({ port, user, initialPassword, password }: Login): Promise<boolean> {
  const address = { host: '127.0.0.1', port, database: 'postgres' };
  const client = new Client({ ...address, user, password: initialPassword });
  client.on('error', () => undefined);
  try {
    await client.connect();
    if (password !== initialPassword) {
      const role = client.escapeIdentifier(user);
      await client.query(`alter role ${role} password ${client.escapeLiteral(password)}`);
    }
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
