/**
 * Makes new clusters as copies of the clone's first one: `initdb` takes more time than the rest of
 * the server's start. The copy is one file, written before the first server starts on the cluster.
 */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream, existsSync } from 'node:fs';
import { chown, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { StartError } from '../system/start-error.ts';
import type { PostgresBinaries, RunUser } from './postgres-binaries.ts';

/** Beside the cluster, and so in the copy; readable for its owner only. */
const PASSWORD_FILE = 'initial-password';

export type NewCluster = {
  /** In a parent folder used for this cluster only. */
  readonly clusterDir: string;
  /** The superuser. */
  readonly user: string;
  readonly password: string;
  /** Whether files are flushed, for a cluster that outlives a crash of the machine. */
  readonly isFlushed: boolean;
  /** Where the copies are: a folder of this clone. */
  readonly copiesDir: string;
};

/**
 * Makes a cluster and returns the password that its superuser has until it is changed. Throws
 * StartError when `initdb` fails.
 */
export async function makeCluster(
  binaries: PostgresBinaries,
  user: RunUser,
  cluster: NewCluster,
): Promise<string> {
  const copy = join(cluster.copiesDir, `cluster-${binaries.version}-${ownerOf(user)}.tar`);
  const folder = dirname(cluster.clusterDir);
  const passwordFile = join(folder, PASSWORD_FILE);
  await rm(cluster.clusterDir, { recursive: true, force: true });
  // Only a kept cluster is used after a crash of the machine; others need no flush.
  if (cluster.isFlushed) await initCluster(binaries, user, cluster);
  else if (existsSync(copy)) await run('tar', ['-xpf', copy, '-C', folder]);
  else {
    await initCluster(binaries, user, cluster);
    await saveCopy(cluster, copy);
  }
  const password = await readFile(passwordFile, 'utf8');
  await rm(passwordFile);
  return password;
}

const ownerOf = ({ uid }: RunUser): number => uid ?? process.getuid?.() ?? 0;

async function initCluster(
  binaries: PostgresBinaries,
  user: RunUser,
  { clusterDir, isFlushed, ...cluster }: NewCluster,
): Promise<void> {
  await mkdir(clusterDir, { recursive: true, mode: 0o700 });
  const passwordFile = join(dirname(clusterDir), PASSWORD_FILE);
  await writeFile(passwordFile, cluster.password, { mode: 0o600 });
  if (user.uid !== undefined && user.gid !== undefined) {
    await chown(clusterDir, user.uid, user.gid);
    await chown(passwordFile, user.uid, user.gid);
  }
  await run(
    binaries.initdb,
    [
      `--pgdata=${clusterDir}`,
      `--username=${cluster.user}`,
      `--pwfile=${passwordFile}`,
      '--auth=scram-sha-256',
      '--encoding=UTF8',
      '--locale=C',
      ...(isFlushed ? [] : ['--no-sync']),
    ],
    user,
  );
}

/** Complete or absent, also after a crash of the machine, and when two starts save at once. */
async function saveCopy({ clusterDir, copiesDir }: NewCluster, copy: string): Promise<void> {
  await mkdir(copiesDir, { recursive: true });
  const unfinished = `${copy}.${process.pid}`;
  const args = ['-cf', '-', '-C', dirname(clusterDir), basename(clusterDir), PASSWORD_FILE];
  const tar = spawn('tar', args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const file = createWriteStream(unfinished, { mode: 0o600, flush: true });
  try {
    const [[code]] = await Promise.all([once(tar, 'exit'), pipeline(tar.stdout, file)]);
    if (code === 0) await rename(unfinished, copy);
  } catch (error) {
    // No tar, or no room: then each start makes its cluster.
    console.error(error);
  } finally {
    await rm(unfinished, { force: true });
  }
}

async function run(program: string, args: readonly string[], user: RunUser = {}): Promise<void> {
  const child = spawn(program, args, {
    ...user,
    cwd: '/',
    env: { PATH: process.env['PATH'], LC_ALL: 'C' },
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  const [code] = await once(child, 'exit');
  if (code !== 0) throw new StartError(`${basename(program)} ended with code ${String(code)}.`);
}
