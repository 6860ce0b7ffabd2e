import { formatTable } from '../support/format-table.ts';
import { describeSetting, type SettingDescription } from './describe-setting.ts';
import { PROCESSES } from './processes.ts';

const HEAD = ['variable', 'processes', 'default', 'values', 'unit', 'secret', 'meaning'];

const INTRODUCTION = `# Settings

Each process reads its settings from environment variables, once, at start. A process with missing, invalid or contradictory
variables prints all of them on stderr, without the values, and exits with code 1.

A secret can be given as a file: \`NAME_FILE\` instead of \`NAME\` holds the path. One newline at the end of the file is not
part of the value. To set both is an error. \`deploy/env\` has an example file for each process.

\`npm run settings\` writes this page and the example files from the schemas of the processes. The [runbook](runbook.md) says how
to [create the secrets](runbook.md#secrets) and what the [RPC endpoints](runbook.md#rpc-endpoints) need.
`;

/** `docs/settings.md`: one row for each setting, in alphabetical order. */
export function writeTable(): string {
  const rows = new Map<string, SettingDescription & { readonly processes: string[] }>();
  for (const [process, { shape }] of Object.entries(PROCESSES)) {
    for (const [name, field] of Object.entries(shape)) {
      const setting = describeSetting(name, field);
      // One row for processes that read the variable in the same way.
      const key = JSON.stringify(setting);
      const row = rows.get(key) ?? { ...setting, processes: [] };
      row.processes.push(process);
      rows.set(key, row);
    }
  }
  const cells = [...rows.values()]
    .toSorted((a, b) => a.name.localeCompare(b.name, 'en'))
    .map(({ processes, ...setting }) => [
      `\`${setting.name}\``,
      processes.join(', '),
      setting.fallback === null ? 'required' : codeUnlessNone(setting.fallback),
      setting.range ?? '',
      setting.unit ?? '',
      setting.isSecret ? 'yes' : '',
      setting.description,
    ]);
  return `${INTRODUCTION}\n${formatTable([HEAD, ...cells])}\n`;
}

const codeUnlessNone = (text: string): string => (text === 'none' ? text : `\`${text}\``);
