import { spawn } from 'node:child_process';
import { once } from 'node:events';

const KEPT_OUTPUT = 20_000;

/** How a command ended, and the last part of what it printed. */
export interface Ended {
  /** Null after a signal. */
  readonly code: number | null;
  readonly output: string;
}

/**
 * Runs a command and waits for its end. With `signal` it has a process group of its own, which an
 * abort kills: compilers and test workers are children of children. Throws the reason of the abort,
 * or when the command cannot be started.
 */
export async function runInGroup(
  [command, ...args]: readonly [string, ...string[]],
  options: {
    readonly cwd: string;
    readonly env: NodeJS.ProcessEnv;
    readonly signal?: AbortSignal | undefined;
  },
): Promise<Ended> {
  const { cwd, env, signal } = options;
  signal?.throwIfAborted();
  const child = spawn(command, args, {
    cwd,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: signal !== undefined,
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output = (output + text).slice(-KEPT_OUTPUT);
    });
  }
  const kill = (): void => {
    try {
      if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
    } catch {
      // Every process of the group has ended.
    }
  };
  signal?.addEventListener('abort', kill);
  try {
    await once(child, 'close');
  } finally {
    signal?.removeEventListener('abort', kill);
  }
  signal?.throwIfAborted();
  return { code: child.exitCode, output };
}
