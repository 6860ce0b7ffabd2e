import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { StartError } from '../system/start-error.ts';

/**
 * The words of a command that runs one process of the system in another way than with this Node,
 * such as `podman run … --name {name} --env-file {env} image {role}`. It gets its variables by the
 * file, passes SIGTERM on, and ends when the process ends.
 */
export type OwnCommand = readonly string[];

/**
 * Fills in `{role}`, `{name}` and `{env}`, and writes the file that `{env}` names: a line
 * `NAME=value` for each variable, readable by this user alone. Throws StartError for a value that
 * does not fit into one line.
 */
export function fillCommand(
  command: OwnCommand,
  process: {
    readonly role: string;
    readonly name: string;
    readonly env: Readonly<Record<string, string>>;
  },
  folder: string,
): string[] {
  const { role, name, env } = process;
  const envFile = join(folder, `${name}.env`);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  writeFileSync(envFile, Object.entries(env).map(lineOf).join(''), { mode: 0o600 });
  const words = { '{role}': role, '{name}': name, '{env}': envFile };
  return command.map((word) =>
    Object.entries(words).reduce((filled, [hole, text]) => filled.replaceAll(hole, text), word),
  );
}

function lineOf([name, value]: readonly [string, string]): string {
  if (!/[\r\n]/.test(value)) return `${name}=${value}\n`;
  throw new StartError(`${name} has a line break, so no command of PROCESS_COMMAND can get it.`);
}
