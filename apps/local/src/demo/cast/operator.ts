import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { LocalService } from '@agent-wallet/local-system/paid-services/local-services.ts';
import type { RunningSystem } from '@agent-wallet/local-system/system/running-system.ts';

const COMMAND_LINE = fileURLToPath(new URL('../../../../cli/src/main.ts', import.meta.url));
const TIMEOUT_MS = 60_000;

/** The output of `agent-wallet catalog …`. Throws an Error with its message when it fails. */
export function runCatalog(
  system: {
    readonly databaseUrls: Pick<RunningSystem['databaseUrls'], 'operator'>;
    readonly paidServices: readonly Pick<LocalService, 'url'>[];
  },
  args: readonly string[],
): Promise<string> {
  const origins = new Set(system.paidServices.map(({ url }) => new URL(url).origin));
  const env = {
    DATABASE_URL: system.databaseUrls.operator,
    LOOPBACK_SERVICES: [...origins].join(','),
    NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'],
  };
  return new Promise((resolve, reject) => {
    const command = [COMMAND_LINE, 'catalog', ...args];
    execFile(process.execPath, command, { env, timeout: TIMEOUT_MS }, (error, stdout, stderr) => {
      if (error === null) resolve(stdout.trim());
      else reject(new Error(stderr.trim(), { cause: error }));
    });
  });
}
