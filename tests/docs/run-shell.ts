import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { mkdir, mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';
import type { ShellStep } from './read-blocks.ts';

/** What a command did: its output, and the commands in it that failed, with what they printed. */
export type Result = {
  readonly output: string;
  readonly failures: string;
};

/**
 * Runs the steps in one bash, in order and in `folder`, and stops after the first that fails.
 * Returns a result for each step that ran. A command that fails anywhere in a step counts, also
 * inside a pipeline or a command substitution.
 */
export async function runShell(
  steps: readonly ShellStep[],
  { folder, env }: { readonly folder: string; readonly env: NodeJS.ProcessEnv },
): Promise<Result[]> {
  await mkdir(join(folder, '.local'), { recursive: true });
  const records = await mkdtemp(join(folder, '.local', 'steps-'));
  const file = (index: number, suffix: string): string => join(records, `${index}.${suffix}`);
  const script = ['set -E -o pipefail', `trap 'echo "$BASH_COMMAND" >> "$FAILURES"' ERR`];
  for (const [index, { code }] of steps.entries()) {
    writeFileSync(file(index, 'sh'), `${code}\n`);
    script.push(
      `FAILURES='${file(index, 'failed')}'`,
      `source '${file(index, 'sh')}' < /dev/null > '${file(index, 'out')}' 2> '${file(index, 'err')}'`,
      `[ -e "$FAILURES" ] && exit 0`,
    );
  }
  writeFileSync(file(steps.length, 'main'), script.join('\n'));
  const bash = spawn('bash', ['--noprofile', '--norc', file(steps.length, 'main')], {
    cwd: folder,
    env,
    stdio: 'ignore',
  });
  await once(bash, 'exit');
  return steps
    .map((_step, index) => index)
    .filter((index) => existsSync(file(index, 'out')))
    .map((index) => {
      const failed = textOf(file(index, 'failed'));
      return {
        output: textOf(file(index, 'out')),
        failures: failed === '' ? '' : `${failed}${textOf(file(index, 'err'))}`,
      };
    });
}

function textOf(path: string): string {
  return existsSync(path) ? readFileSync(path, 'utf8') : '';
}
