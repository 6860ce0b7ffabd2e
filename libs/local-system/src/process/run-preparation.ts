import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { StartError } from '../system/start-error.ts';

/**
 * Runs a script to its end, such as a build that a process needs, and passes its lines on to `log`.
 * Throws a StartError if it fails.
 */
export async function runPreparation(script: string, log: (line: string) => void): Promise<void> {
  const child = spawn(process.execPath, [script], { stdio: ['ignore', 'pipe', 'pipe'] });
  const exited = once(child, 'exit');
  let lastLines: string[] = [];
  createInterface(child.stdout).on('line', log);
  createInterface(child.stderr).on('line', (line) => {
    lastLines = [...lastLines, line].slice(-20);
  });
  const [code] = await exited;
  if (code !== 0) throw new StartError([`${script} failed:`, ...lastLines].join('\n  | '));
}
