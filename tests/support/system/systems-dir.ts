import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isAlive } from '@agent-wallet/local-system/process/is-alive.ts';

const ROOT = fileURLToPath(new URL('../../../.local/test-systems/', import.meta.url));

/**
 * The folder for the logs of the systems that this run starts, named by the run's process. Removes
 * the folders of runs that have ended and keeps those of concurrent runs.
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
