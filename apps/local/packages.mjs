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
