import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { appProcesses, dashboardProcess } from '@agent-wallet/local-system/system/app-processes.ts';
import { startSystem, type System } from '@agent-wallet/local-system/system/start-system.ts';
import type { Ops, Step } from '../step.ts';
import { IMAGE, needPodman, podman, PODMAN, removeContainers, RUN } from '../tools/podman.ts';
import { runTool, tryTool } from '../tools/run-tool.ts';

const ROLES = ['api', 'tx-worker', 'confirm-worker', 'dashboard', 'facilitator'] as const;
const nameOf = (role: string): string => `agent-wallet-boot-${role}`;

/** The processes of a local system, each in a container of the image. */
export const bootRoles: Step = {
  name: 'each role of the image boots, is healthy, writes nothing, and ends on SIGTERM',
  run: async (ops) => {
    await needPodman(ops);
    await removeContainers();
    try {
      const system = await startSystem({
        dataDir: join(ops.folder, 'boot'),
        slotTimeMs: 200,
        // For the facilitator.
        paidServices: true,
        processes: (surroundings) => {
          // The image has the page already.
          const { preparedBy: _, ...dashboard } = dashboardProcess(surroundings);
          return [...appProcesses(surroundings), dashboard];
        },
        command: [...RUN, '--name', nameOf('{name}'), '--env-file', '{env}', IMAGE, '{role}'],
        log: ops.log,
      });
      await using _ = system;
      for (const role of ROLES) await checkRole(ops, role);
      await checkTools(ops, system);
      await system.stop();
      for (const role of ROLES) await checkEnd(role);
    } finally {
      await removeContainers();
    }
  },
};

async function checkRole(ops: Ops, role: string): Promise<void> {
  const name = nameOf(role);
  await podman('healthcheck', 'run', name);
  const user = await podman('exec', name, 'id', '-u');
  if (user !== '65532') throw new Error(`${role} runs as user ${user}`);
  for (const path of ['/app/new', '/tmp/new', '/var/tmp/new']) {
    const { code } = await tryTool([...PODMAN, 'exec', '--user', '0', name, 'touch', path]);
    if (code === 0) throw new Error(`${role} can write ${path}`);
  }
  ops.log(`${role} is healthy`);
}

/** The roles that end by themselves, and one that does not exist. */
async function checkTools(ops: Ops, { databaseUrl }: System): Promise<void> {
  const env = join(ops.folder, 'migrate.env');
  writeFileSync(env, `DATABASE_URL=${databaseUrl}\n`, { mode: 0o600 });
  await runTool([...RUN, '--rm', '--env-file', env, IMAGE, 'migrate']);
  await runTool([...RUN, '--rm', IMAGE, 'agent-wallet', '--help']);
  const { code, err } = await tryTool([...RUN, '--rm', IMAGE, 'postman']);
  if (code !== 64) throw new Error(`an unknown role ends with code ${code}: ${err}`);
}

async function checkEnd(role: string): Promise<void> {
  const code = await podman('inspect', '--format', '{{.State.ExitCode}}', nameOf(role));
  if (code !== '0') throw new Error(`${role} ended with code ${code} on SIGTERM`);
}
