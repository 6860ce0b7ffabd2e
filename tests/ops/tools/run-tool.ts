import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

export const REPOSITORY = fileURLToPath(new URL('../../../', import.meta.url));

const TIMEOUT_MS = 20 * 60_000;
const LAST_LINES = 30;

type ToolOptions = {
  readonly timeoutMs?: number;
  /** In addition to those of this process. */
  readonly env?: Readonly<Record<string, string>>;
};

/** The words of a command without quotes. */
export const wordsOf = (text: string): string[] => text.trim().split(/\s+/);

export type Ran = { readonly code: number; readonly out: string; readonly err: string };

/**
 * Runs a command in the root folder of the repository to its end and returns its standard output.
 * Throws its last lines when it fails or takes longer than `timeoutMs` (20 minutes by default).
 */
export async function runTool(
  command: readonly string[],
  options: ToolOptions = {},
): Promise<string> {
  const { code, out, err } = await tryTool(command, options);
  if (code === 0) return out;
  const last = `${out}\n${err}`.trim().split('\n').slice(-LAST_LINES);
  throw new Error([`${command.join(' ')} ended with code ${code}:`, ...last].join('\n  | '));
}

/** As {@link runTool}, but returns the exit code as well; a command that is missing has code 127. */
export async function tryTool(
  [file = '', ...args]: readonly string[],
  { timeoutMs = TIMEOUT_MS, env = {} }: ToolOptions = {},
): Promise<Ran> {
  const child = spawn(file, args, {
    cwd: REPOSITORY,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: timeoutMs,
    killSignal: 'SIGKILL',
  });
  const [out, err] = [child.stdout, child.stderr].map((stream) => {
    const chunks: Buffer[] = [];
    stream.on('data', (chunk: Buffer) => chunks.push(chunk));
    return () => Buffer.concat(chunks).toString('utf8');
  });
  const code = await new Promise<number>((resolve) => {
    child.once('error', () => resolve(127));
    child.once('close', (exit) => resolve(exit ?? 1));
  });
  return { code, out: out?.() ?? '', err: err?.() ?? '' };
}
