import { commonSettings, parseSettings } from '@agent-wallet/process';
import { z } from 'zod';

/** The settings of the migration with their descriptions. */
export const migrateSettings = z.object({
  DATABASE_URL: commonSettings.DATABASE_URL.meta({
    secret: true,
    description: 'Postgres connection string of the login that owns the tables',
  }),
});

/** Parses the environment. Throws one sentence that names the variable, never its value. */
export function parseConfig(env: NodeJS.ProcessEnv): z.output<typeof migrateSettings> {
  return parseSettings('migrate', migrateSettings, env);
}
