import type { Ops } from '../step.ts';
import { needTools } from './need-tools.ts';
import { runTool, tryTool, wordsOf } from './run-tool.ts';

/** The image that the first step builds and the others run. */
export const IMAGE = 'localhost/agent-wallet/app:ops-check';

/** On every container of a run, so that they can be found and removed. */
export const LABEL = 'agent-wallet=ops-check';

/** podman with runc, which also runs on machines with two kinds of cgroups. */
export const PODMAN = ['podman', '--runtime', 'runc'] as const;

/**
 * A container of the image as an operator should run it: nothing in it can be written, no rights of
 * the kernel. On the network of this machine, so that it reaches what listens on loopback here.
 */
export const RUN: readonly string[] = [
  ...PODMAN,
  ...wordsOf(`run --label ${LABEL} --network host --read-only --read-only-tmpfs=false`),
  ...wordsOf('--cap-drop all --security-opt no-new-privileges --env METRICS_HOST=127.0.0.1'),
];

/** Makes sure that podman and what it needs exist. Throws Skipped where they cannot be installed. */
export const needPodman = (ops: Ops): Promise<void> =>
  needTools(ops, { podman: 'podman', buildah: 'buildah', runc: 'runc' });

/** Runs podman to its end and returns its output. */
export const podman = async (...args: readonly string[]): Promise<string> =>
  (await runTool([...PODMAN, ...args])).trim();

/** Removes every container of a run; none must be there. */
export async function removeContainers(): Promise<void> {
  const ids = (await podman('ps', '-aq', '--filter', `label=${LABEL}`)).split('\n');
  const found = ids.filter((id) => id !== '');
  if (found.length > 0) await tryTool([...PODMAN, 'rm', '--force', '--time', '5', ...found]);
}
