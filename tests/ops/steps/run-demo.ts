import type { Step } from '../step.ts';
import { IMAGE, LABEL, needPodman, podman, removeContainers, RUN } from '../tools/podman.ts';
import { runTool } from '../tools/run-tool.ts';

const PREFIX = 'agent-wallet-demo-';
const EXPECTED = ['api', 'confirm-worker', 'facilitator', 'tx-worker'].map(
  (role) => `${PREFIX}${role} 0`,
);

/** `npm run demo`, with each process in a container of the image. */
export const runDemo: Step = {
  name: 'the demo runs against the image',
  run: async (ops) => {
    await needPodman(ops);
    await removeContainers();
    const command = [...RUN, '--name', `${PREFIX}{name}`, '--env-file', '{env}', IMAGE, '{role}'];
    try {
      const shown = await runTool([process.execPath, 'apps/local/src/demo/main.ts'], {
        env: { PROCESS_COMMAND: command.join(' ') },
      });
      ops.log(shown.trim().split('\n').slice(-3).join('\n'));
      const format = '{{.Names}} {{.ExitCode}}';
      const ended = await podman('ps', '-a', '--filter', `label=${LABEL}`, '--format', format);
      const found = ended.split('\n').toSorted();
      if (found.join() !== EXPECTED.join()) {
        throw new Error(
          `expected the containers ${EXPECTED.join(', ')}, found ${found.join(', ')}`,
        );
      }
    } finally {
      await removeContainers();
    }
  },
};
