/** `npm run migrate`: brings the schema of the database in `DATABASE_URL` up to date. */
import { migrateDatabase } from '@agent-wallet/local-system/postgres/migrate-database.ts';
import { runCommand } from '@agent-wallet/local-system/process/run-command.ts';
import { StartError } from '@agent-wallet/local-system/system/start-error.ts';
import { parseMigrateSettings } from './migrate-settings.ts';

await runCommand(async () => {
  const { DATABASE_URL: databaseUrl } = parseMigrateSettings(process.env);
  await migrateDatabase(databaseUrl, console.log).catch((error: unknown) => {
    const reason = error instanceof Error ? error.message || error.name : String(error);
    throw new StartError(`The database could not be migrated: ${reason}.`, { cause: error });
  });
  console.log('the schema is up to date, and so is what each role may do');
});
