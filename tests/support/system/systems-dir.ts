import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isAlive } from '@agent-wallet/local-system/process/is-alive.ts';

const ROOT = fileURLToPath(new URL('../../../.local/test-systems/', import.meta.url));

/**
 * Where the systems that this run's tests start keep their logs, named by the run's process. Those
 * of runs that have ended are removed; one that is under way beside this one keeps its own.
 */
export async function prepareSystemsDir(): Promise<string> {
  const runs = await readdir(ROOT).catch(() => []);
  for (const run of runs.filter((name) => !isOtherRun(Number(name)))) {
    await rm(join(ROOT, run), { recursive: true, force: true });
  }
  return join(ROOT, String(process.pid));
}

function isOtherRun(pid: number): boolean {
  return Number.isInteger(pid) && pid > 0 && pid !== process.pid && isAlive(pid);
}
