import { CliError, EXIT, type ExitCode } from '../cli-error.ts';
import { jsonText } from '../terminal/json-text.ts';
import { createTerminal } from '../terminal/terminal.ts';
import { type AddCommands, parseCommandLine } from './parse-command-line.ts';
import { reportError } from './report-error.ts';

/** Runs the command line of this process and returns its exit code. */
export async function runCommandLine(
  addCommands: readonly AddCommands[],
  description: string,
): Promise<ExitCode> {
  const { argv, env, stdin, stdout, stderr } = process;
  const interrupted = new AbortController();
  const interrupt = (): void =>
    interrupted.abort(new CliError('Interrupted: nothing was signed or paid.'));
  // Once: a second Ctrl-C ends the process.
  process.once('SIGINT', interrupt);
  const { signal } = interrupted;
  const args = argv.slice(2);
  let isJson = args.includes('--json');
  try {
    const print = (text: string) => void stdout.write(text);
    const call = parseCommandLine(addCommands, args, { description, print });
    if (call === null) return EXIT.done;
    ({ isJson } = call);
    const { saysYes } = call;
    const terminal = createTerminal({ stdin, stdout, stderr, isJson, saysYes, signal });
    const { exitCode, text, json } = await call.run({ terminal, signal, env });
    if (isJson) stdout.write(`${jsonText(json)}\n`);
    else if (text.length > 0) stdout.write(text);
    if (!isJson && typeof text === 'string' && text !== '') stdout.write('\n');
    return exitCode;
  } catch (error) {
    const { exitCode, sentence, json } = reportError(error);
    if (isJson) stdout.write(`${jsonText(json)}\n`);
    stderr.write(`${sentence}\n`);
    return exitCode;
  } finally {
    process.off('SIGINT', interrupt);
  }
}
