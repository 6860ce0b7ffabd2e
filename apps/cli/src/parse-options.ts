import { parseArgs, type ParseArgsOptionsConfig } from 'node:util';
import { CliError } from './cli-error.ts';

/** Parses the words and options of a command. Throws a CliError for an option that is not listed. */
export function parseOptions<Options extends ParseArgsOptionsConfig>(
  args: readonly string[],
  options: Options,
) {
  try {
    return parseArgs({ args: [...args], allowPositionals: true, options });
  } catch (cause) {
    const [sentence] = (cause instanceof Error ? cause.message : String(cause)).split('. ');
    throw new CliError(`${sentence}: try --help.`, { cause });
  }
}
