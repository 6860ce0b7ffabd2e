import { Option } from 'commander';
import { z } from 'zod';
import { addCommand } from '../../command-line/add-command.ts';
import { uuid } from '../../command-line/inputs.ts';
import type { AddCommands } from '../../command-line/parse-command-line.ts';
import { withEnvironment } from '../with-environment.ts';

/** The commands of auditors. */
export const addAudit: AddCommands = ({ group, onCall }) => {
  withEnvironment(group, 'DATABASE_URL, PROGRAM_ID, USDC_MINT; RPC_URL to read the chain');
  addCommand(
    { group, onCall },
    {
      usage: 'verify',
      summary:
        "recompute the hash chains of the audit log and compare the log with the spends, the program's events and, with RPC_URL, the chain; name the first difference",
      options: [
        new Option('--wallet <id>', 'only this wallet'),
        new Option(
          '--against <file>',
          'a file of "audit heads", each of which must still be in its chain',
        ),
      ],
      examples: [
        'audit verify',
        'audit verify --wallet 0189b2c4-5d6e-7f80-9a1b-2c3d4e5f6071',
        'audit verify --against heads-2026-11-23.json',
      ],
      input: z.object({ wallet: uuid.optional(), against: z.string().min(1).optional() }),
      run: async ({ wallet, against }, { env }) => {
        const { parseConfig } = await import('../config.ts');
        const config = parseConfig(env);
        const { verifyCommand } = await import('./verify-command.ts');
        return verifyCommand(config, wallet ?? null, against ?? null);
      },
    },
  );
  addCommand(
    { group, onCall },
    {
      usage: 'heads',
      summary:
        'print the newest row and hash of every audit chain as JSON, to keep outside the database: "audit verify --against" then finds a chain that was rewritten, cut or removed',
      examples: ['audit heads > heads-2026-11-23.json'],
      input: z.object({}),
      run: async (_input, { env }) => {
        const { parseConfig } = await import('../config.ts');
        const config = parseConfig(env);
        const { headsCommand } = await import('./heads-command.ts');
        return headsCommand(config);
      },
    },
  );
};
