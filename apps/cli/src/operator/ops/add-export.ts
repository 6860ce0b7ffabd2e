import { Option } from 'commander';
import { z } from 'zod';
import { addCommand } from '../../command-line/add-command.ts';
import { required, uuid } from '../../command-line/inputs.ts';
import type { AddCommands } from '../../command-line/parse-command-line.ts';

/** The command that writes everything about one wallet to a file. */
export const addExport: AddCommands = (to) => {
  addCommand(to, {
    usage: 'export',
    summary:
      'write every row that belongs to a wallet to a new file, one JSON value a line, without keys and secrets; DATABASE_URL is the login of the owner of the tables',
    options: [
      new Option('--wallet <id>', 'the wallet'),
      new Option('--file <path>', 'the file, which must not exist'),
    ],
    examples: ['ops export --wallet 0189b2c4-5d6e-7f80-9a1b-2c3d4e5f6071 --file wallet.jsonl'],
    input: z.object({ wallet: uuid, file: required('give the path of a new file') }),
    run: async ({ wallet: walletId, file: path }, { env }) => {
      const { parseOpsConfig } = await import('../config.ts');
      const { exportCommand } = await import('./export-command.ts');
      return exportCommand(parseOpsConfig(env), { walletId, path });
    },
  });
};
