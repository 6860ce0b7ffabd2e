import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { Skipped } from '../step.ts';
import { REPOSITORY, runTool, tryTool, wordsOf } from './run-tool.ts';

const VENV = join(REPOSITORY, '.local', 'ops-tools');
const TOOL = join(VENV, 'bin', 'podman-compose');
const VERSION = '1.6.0';

/** Runs podman-compose to its end and returns its output. */
export type Compose = (...args: readonly string[]) => Promise<string>;

/** podman-compose in a folder of its own. Throws Skipped where it cannot be installed. */
export async function needCompose(): Promise<void> {
  if (existsSync(TOOL)) return;
  const steps = [
    ['python3', '-m', 'venv', VENV],
    [join(VENV, 'bin', 'pip'), 'install', '--quiet', `podman-compose==${VERSION}`],
  ];
  for (const step of steps) {
    const { code, err } = await tryTool(step);
    if (code !== 0) throw new Skipped(`podman-compose ${VERSION} cannot be installed: ${err}`);
  }
}

/** deploy/compose.yaml on the network of this machine, as the project `name`. */
export const composeWith =
  (name: string, env: Readonly<Record<string, string>>): Compose =>
  (...args) =>
    runTool(
      [
        TOOL,
        // A pod would need an image of its own from a registry.
        ...wordsOf(`--in-pod=false --podman-args=--runtime=runc --project-name ${name}`),
        ...wordsOf('--file deploy/compose.yaml --file deploy/compose/host.yaml'),
        ...args,
      ],
      { env },
    );
