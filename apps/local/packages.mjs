/** What the launcher needs to know about the installed packages. No dependencies, Node 20. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * True if node_modules holds what package-lock.json asks for. npm keeps a lockfile of what it has
 * installed and writes it last, so an interrupted install does not look like a finished one.
 * Packages that are optional may be missing: they are for other platforms.
 * @param {string} root folder of package-lock.json
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
 * Packages that an install on this platform would take without a hash to hold them against. The
 * lockfile has none for some packages of platforms on which it was never completed.
 * @param {string} root folder of package-lock.json
 * @param {{ platform: string, arch: string }} here as `process` names them
 */
export function packagesWithoutHash(root, here) {
  const wanted = readLockfile(join(root, 'package-lock.json')) ?? {};
  return Object.entries(wanted)
    .filter(([path, entry]) => path.includes('node_modules/') && entry.link !== true)
    .filter(([, entry]) => entry.integrity === undefined && isFor(entry, here))
    .map(([path]) => path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length));
}

/** What is for another C library counts as well on Linux, unless that is musl: it is refused there. */
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

/**
 * One sentence if npm's output says that the registry was not reached, else undefined.
 * @param {string} output
 */
export function networkSentence(output) {
  const reason = UNREACHABLE.exec(output)?.[0];
  if (reason === undefined) return undefined;
  return `The packages could not be installed: the npm registry was not reached (${reason}).`;
}
