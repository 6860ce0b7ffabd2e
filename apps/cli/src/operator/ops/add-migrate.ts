import { Option } from 'commander';
import { z } from 'zod';
import { addCommand } from '../../command-line/add-command.ts';
import type { AddCommands } from '../../command-line/parse-command-line.ts';

/** The command that brings the schema up to date. */
export const addMigrate: AddCommands = (to) => {
  addCommand(to, {
    usage: 'migrate',
    summary:
      'bring schema, queue and rights of the roles up to date while the processes run; DATABASE_URL is the login of the owner of the tables',
    options: [
      new Option('--status', 'change nothing, and list what is applied and what is pending'),
    ],
    examples: ['ops migrate', 'ops migrate --status'],
    input: z.object({ status: z.boolean().default(false) }),
    run: async ({ status }, context) => {
      const { parseOpsConfig } = await import('../config.ts');
      const config = parseOpsConfig(context.env);
      const { migrateCommand, migrationStatusCommand } = await import('./migrate-command.ts');
      return status ? migrationStatusCommand(config) : migrateCommand(config, context);
    },
  });
};
