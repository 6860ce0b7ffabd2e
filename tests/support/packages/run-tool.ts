import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';

/** What a command line tool did. */
export type ToolRun = {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
};

/** A library of the token client says at its import that it runs without a native addon. */
const LIBRARY_NOTICE = 'bigint: Failed to load bindings';

/**
 * Runs a tool without a terminal and with these environment variables alone. `meanwhile` may send it
 * signals.
 */
export async function runTool(
  [command = '', ...args]: readonly string[],
  env: NodeJS.ProcessEnv,
  meanwhile: (kill: (signal: NodeJS.Signals) => void) => Promise<void> = async () => {},
): Promise<ToolRun> {
  const child = spawn(command, args, { env, stdio: ['ignore', 'pipe', 'pipe'] });
  const ended = once(child, 'exit');
  const [out, err] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    meanwhile((signal) => void child.kill(signal)),
  ]);
  await ended;
  const lines = err.split('\n').filter((line) => !line.startsWith(LIBRARY_NOTICE));
  return { code: child.exitCode, out: out.trim(), err: lines.join('\n').trim() };
}
