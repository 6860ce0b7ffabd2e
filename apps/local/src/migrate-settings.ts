import { StartError } from '@agent-wallet/local-system/system/start-error.ts';
import { commonSettings, parseSettings } from '@agent-wallet/process';
import { z } from 'zod';

/** The settings of `npm run migrate` with their descriptions. */
export const migrateSettings = z.object({
  DATABASE_URL: commonSettings.DATABASE_URL.meta({
    secret: true,
    description: 'Postgres connection string of the login that owns the tables',
  }),
});

/** Parses the environment. Throws a StartError that names the wrong variable, never its value. */
export function parseMigrateSettings(env: NodeJS.ProcessEnv): z.output<typeof migrateSettings> {
  try {
    return parseSettings('migrate', migrateSettings, env);
  } catch (cause) {
    throw new StartError(cause instanceof Error ? cause.message : String(cause), { cause });
  }
}
