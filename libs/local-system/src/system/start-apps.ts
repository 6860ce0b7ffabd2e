import { join } from 'node:path';
import type { ProcessSpec, Role, Surroundings } from './app-processes.ts';
import type { Site } from './foundations.ts';
import { claimPort } from '../process/free-port.ts';
import {
  claimPorts,
  createRestartableProcess,
  type RestartableProcess,
} from '../process/process-group.ts';
import { runPreparation } from '../process/run-preparation.ts';
import type { StartSystemOptions } from './system.ts';

const READY_TIMEOUT_MS = 60_000;
const STOP_GRACE_MS = 10_000;

/** Secrets without which the rows and accounts of a kept system are of no use. */
function keptEnv({ keep }: StartSystemOptions, role: Role): Readonly<Record<string, string>> {
  return role === 'dashboard' || role === 'facilitator' ? {} : (keep?.env[role] ?? {});
}

const freePort = async (): Promise<string> => String(await claimPort(0, 'METRICS_PORT'));

/** The processes with the caller's additions: variables per role, RPC URLs per process. */
export async function completeSpecs(
  options: StartSystemOptions,
  surroundings: Surroundings,
  specs: readonly ProcessSpec[],
): Promise<ProcessSpec[]> {
  const rpcUrlFor = options.rpcUrlFor ?? ((_name: string, chainRpcUrl: string) => chainRpcUrl);
  return Promise.all(
    specs.map(async (spec) => {
      const added = {
        ...(spec.hasMetricsPort === true ? { METRICS_PORT: await freePort() } : {}),
        ...keptEnv(options, spec.role),
        ...options.env?.[spec.role],
      };
      if (spec.env['RPC_URL'] === undefined) return { ...spec, env: { ...spec.env, ...added } };
      const rpcUrl = await rpcUrlFor(spec.name, surroundings.rpcUrl);
      return { ...spec, env: { ...spec.env, RPC_URL: rpcUrl, ...added } };
    }),
  );
}

/**
 * Starts the processes at the same time: most of a start is loading code. Throws the first failure;
 * the stack then stops the others.
 */
export async function startApps(
  options: StartSystemOptions,
  specs: readonly ProcessSpec[],
  site: Site,
): Promise<Map<string, RestartableProcess>> {
  const ports = await claimPorts(specs);
  const apps = new Map(
    specs.map((spec) => {
      const app = createRestartableProcess({
        spec,
        port: ports.get(spec.name) ?? 0,
        logsDir: site.logsDir,
        readyTimeoutMs: options.readyTimeoutMs ?? READY_TIMEOUT_MS,
        stopGraceMs: options.stopGraceMs ?? STOP_GRACE_MS,
        onDeath: options.onDeath,
        onRestart: options.restarts === true ? site.log : undefined,
        command: options.command,
        envDir: join(site.dataDir, 'env'),
      });
      site.stack.defer(() => app.stop());
      return [spec.name, app];
    }),
  );
  await Promise.all(
    [...apps].map(async ([name, app]) => {
      const { preparedBy } = app.spec;
      if (preparedBy !== undefined) await runPreparation(preparedBy, site.log);
      await app.start();
      site.log(`${name} ready on ${app.url}, log ${app.logFile}`);
    }),
  );
  return apps;
}
