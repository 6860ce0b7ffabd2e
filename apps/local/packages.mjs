/** Checks of the installed packages for the launcher. No dependencies, Node 20. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Whether node_modules matches package-lock.json in the folder `root`. npm writes a lockfile of the
 * installed packages last, so an interrupted install does not match. Optional packages may be
 * missing: they are for other platforms.
 */
export function packagesMatchLockfile(root) {
  const wanted = readLockfile(join(root, 'package-lock.json'));
  const installed = readLockfile(join(root, 'node_modules', '.package-lock.json'));
  if (wanted === undefined || installed === undefined) return false;
  return Object.entries(wanted).every(([path, entry]) => {
    if (!path.startsWith('node_modules/') && !path.includes('/node_modules/')) return true;
    const found = installed[path];
    if (found === undefined) return entry.optional === true || entry.devOptional === true;
    return found.version === entry.version && found.resolved === entry.resolved;
  });
}

/**
 * The packages that an install on a platform would accept without a hash: the lockfile has no hash
 * for some packages of platforms on which it was never completed. `platform` and `arch` as in
 * `process`.
 */
export function packagesWithoutHash(root, { platform, arch }) {
  const wanted = readLockfile(join(root, 'package-lock.json')) ?? {};
  return Object.entries(wanted)
    .filter(([path, entry]) => path.includes('node_modules/') && entry.link !== true)
    .filter(([, entry]) => entry.integrity === undefined && isFor(entry, { platform, arch }))
    .map(([path]) => path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length));
}

/** On Linux a package counts if it allows glibc; the embedded parts do not run on musl. */
function isFor({ os, cpu, libc }, { platform, arch }) {
  return allows(os, platform) && allows(cpu, arch) && allows(libc, 'glibc');
}

const allows = (list, value) => list === undefined || [list].flat().includes(value);

function readLockfile(path) {
  try {
    return JSON.parse(readFileSync(path, 'utf8')).packages;
  } catch {
    return undefined;
  }
}

const UNREACHABLE =
  /ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH|EHOSTUNREACH/;

/** One sentence if npm's output shows that the registry was unreachable, else undefined. */
export function networkSentence(output) {
  const reason = UNREACHABLE.exec(output)?.[0];
  if (reason === undefined) return undefined;
  return `The packages could not be installed: the npm registry is unreachable (${reason}).`;
}
