import { Command, CommanderError } from 'commander';
import manifest from '../../package.json' with { type: 'json' };
import type { Call } from './add-command.ts';
import { usageError } from './report-error.ts';

/** Adds commands to the program. */
export type AddCommands = (to: {
  readonly group: Command;
  readonly onCall: (call: Call) => void;
}) => void;

const EXIT_CODES = `
Exit code: 0 done; 1 refused, or something differs or stays; 2 failed, or called in a wrong way;
           3 the outcome is not known yet, and the output says how to look again`;

/**
 * The call that a command line asks for; null where help was shown. Throws a CliError with one
 * sentence for any other command line.
 */
export function parseCommandLine(
  addCommands: readonly AddCommands[],
  args: readonly string[],
  { description, print }: { readonly description: string; readonly print: (text: string) => void },
): Call | null {
  const calls: Call[] = [];
  const group = new Command('agent-wallet')
    .description(description)
    .version(manifest.version)
    .exitOverride()
    .configureOutput({ writeOut: print, writeErr: () => undefined })
    .addHelpText('after', EXIT_CODES);
  for (const add of addCommands) add({ group, onCall: (call) => calls.push(call) });
  const firstOption = args.findIndex((word) => word.startsWith('-'));
  const words = firstOption === -1 ? args : args.slice(0, firstOption);
  try {
    if (args.length === 0) group.help();
    group.parse(args, { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    const refused = usageError(error, words);
    if (refused !== null) throw refused;
  }
  return calls[0] ?? null;
}
