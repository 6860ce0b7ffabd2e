import { type Command, Option } from 'commander';
import type { z } from 'zod';
import { CliError } from '../cli-error.ts';
import type { Terminal } from '../terminal/terminal.ts';
import type { Outcome } from './outcome.ts';

/** What a command runs with, beside its input. */
export type Context = {
  readonly terminal: Terminal;
  /** Aborted by Ctrl-C. */
  readonly signal: AbortSignal;
  readonly env: NodeJS.ProcessEnv;
};

/** A command with its parsed input, ready to run. */
export type Call = {
  /** Its words, such as `owner wallet show`. */
  readonly name: string;
  readonly input: unknown;
  readonly isJson: boolean;
  readonly saysYes: boolean;
  run(context: Context): Promise<Outcome>;
};

type CommandSpec<Input> = {
  /** The word of the command and its arguments, such as `show <id>`. */
  readonly usage: string;
  readonly summary: string;
  readonly options?: readonly Option[];
  /** Whole command lines without the name of the program. */
  readonly examples: readonly string[];
  /** Of options and arguments by their names in camel case. */
  readonly input: z.ZodType<Input>;
  run(input: Input, context: Context): Promise<Outcome>;
};

/** Adds a command to `group`; `onCall` gets it when it is called. Each has `--json`. */
export function addCommand<Input>(
  { group, onCall }: { readonly group: Command; readonly onCall: (call: Call) => void },
  spec: CommandSpec<Input>,
): void {
  const command = group.command(spec.usage).description(spec.summary);
  for (const option of spec.options ?? []) command.addOption(option);
  command.addOption(new Option('--json', 'print one JSON value on stdout'));
  const lines = spec.examples.map((line) => `  $ agent-wallet ${line}`);
  command.addHelpText('after', ['', 'Examples:', ...lines].join('\n'));
  command.action(() => {
    const given: Readonly<Record<string, unknown>> = command.opts();
    const named = command.registeredArguments.map((argument, index) => [
      argument.name().replaceAll(/-(\w)/g, (_all, letter: string) => letter.toUpperCase()),
      command.processedArgs[index],
    ]);
    const values = { ...given, ...Object.fromEntries(named) };
    const input = readInput(spec.input, values, new Set(Object.keys(given)));
    onCall({
      name: pathOf(command),
      input,
      isJson: given['json'] === true,
      saysYes: given['yes'] === true,
      run: (context) => spec.run(input, context),
    });
  });
}

function pathOf(command: Command): string {
  const { parent } = command;
  return parent === null ? '' : `${pathOf(parent)} ${command.name()}`.trim();
}

/** Parses the input. Throws a CliError that names the option or argument. */
function readInput<Input>(
  schema: z.ZodType<Input>,
  values: Readonly<Record<string, unknown>>,
  options: ReadonlySet<string>,
): Input {
  const read = schema.safeParse(values);
  if (read.success) return read.data;
  const [issue] = read.error.issues;
  const name = String(issue?.path[0] ?? 'input');
  const words = name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
  const isArgument = name in values && !options.has(name);
  const sentence = `${isArgument ? `<${words}>` : `--${words}`} ${issue?.message}`;
  throw new CliError(/[.?]$/.test(sentence) ? sentence : `${sentence}.`);
}
