import { createInterface } from 'node:readline/promises';
import { CliError, EXIT } from '../cli-error.ts';

type Output = { readonly isTTY?: boolean; write(text: string): unknown };

/** Where a command writes and asks. Results go to stdout, everything else to stderr. */
export type Terminal = {
  /** A line of a result that comes bit by bit; on stderr where stdout has one JSON value. */
  print(line: string): void;
  note(line: string): void;
  /**
   * Shows what will be done and asks whether to go on, unless the user has agreed beforehand. Throws
   * a CliError when the user declines, or when there is no terminal to ask on.
   */
  agree(lines: readonly string[]): Promise<void>;
  /** Shows how long the work has taken, on a terminal only. */
  whileWaiting<Result>(what: string, work: Promise<Result>): Promise<Result>;
};

const YES = /^y(?:es)?$/i;
const PROGRESS_MS = 1_000;
const START_OF_LINE = '\r';

/** The terminal of one command. `signal` ends a question. */
export function createTerminal(deps: {
  readonly stdin: NodeJS.ReadableStream & { readonly isTTY?: boolean };
  readonly stdout: Output;
  readonly stderr: Output & NodeJS.WritableStream;
  readonly isJson: boolean;
  /** Whether the user has agreed beforehand. */
  readonly saysYes: boolean;
  readonly signal: AbortSignal;
}): Terminal {
  const { stdin, stdout, stderr, isJson, saysYes, signal } = deps;
  const note = (line: string): void => void stderr.write(`${line}\n`);

  async function ask(): Promise<boolean> {
    const lines = createInterface({ input: stdin, output: stderr });
    try {
      // The end of the input is no agreement.
      const ended = new Promise<string>((resolve) => lines.once('close', () => resolve('')));
      const answer = lines.question('Go on? [y/N] ', { signal });
      return YES.test((await Promise.race([answer, ended])).trim());
    } catch (error) {
      signal.throwIfAborted();
      throw error;
    } finally {
      lines.close();
    }
  }

  return {
    print: (line) => (isJson ? note(line) : void stdout.write(`${line}\n`)),
    note,
    agree: async (lines) => {
      for (const line of lines) note(line);
      if (saysYes) return;
      if (stdin.isTTY !== true) {
        throw new CliError(
          'Nothing was signed: this is no terminal to ask at, so add --yes to go on without a question.',
        );
      }
      if (await ask()) return;
      throw new CliError('Nothing was signed.', { exitCode: EXIT.refused });
    },
    whileWaiting: async (what, work) => {
      if (stderr.isTTY !== true) return work;
      let seconds = 0;
      let width = 0;
      const timer = setInterval(() => {
        seconds += 1;
        const line = `${what} … ${seconds} s`;
        width = line.length;
        stderr.write(`${START_OF_LINE}${line}`);
      }, PROGRESS_MS);
      try {
        return await work;
      } finally {
        clearInterval(timer);
        if (width > 0) {
          stderr.write(`${START_OF_LINE}${' '.repeat(width)}${START_OF_LINE}`);
        }
      }
    },
  };
}
