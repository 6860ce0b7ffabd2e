import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../../../.local/test-systems/', import.meta.url));

/**
 * Where the systems that this run's tests start keep their logs, named by the run's process. Those
 * of runs that have ended are removed; one that is under way beside this one keeps its own.
 */
export async function prepareSystemsDir(): Promise<string> {
  const runs = await readdir(ROOT).catch(() => []);
  for (const run of runs.filter((name) => !isAlive(Number(name)))) {
    await rm(join(ROOT, run), { recursive: true, force: true });
  }
  return join(ROOT, String(process.pid));
}

function isAlive(pid: number): boolean {
  if (!Number.isInteger(pid) || pid <= 0 || pid === process.pid) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
