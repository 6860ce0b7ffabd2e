import { z } from 'zod';
import { addCommand } from '../../command-line/add-command.ts';
import type { AddCommands } from '../../command-line/parse-command-line.ts';
import { withEnvironment } from '../with-environment.ts';

/** The commands of an operator on call. */
export const addOps: AddCommands = ({ group, onCall }) => {
  withEnvironment(group, 'DATABASE_URL, PROGRAM_ID, USDC_MINT, RPC_URL');
  addCommand(
    { group, onCall },
    {
      usage: 'restored',
      summary:
        'run it after a restore from a copy: closes intake, so that no spend is accepted or signed until every earlier signature has landed or expired',
      examples: ['ops restored'],
      input: z.object({}),
      run: async (_input, { env }) => {
        const { parseConfig } = await import('../config.ts');
        const config = parseConfig(env);
        const { restoredCommand } = await import('./restored-command.ts');
        return restoredCommand(config);
      },
    },
  );
};
