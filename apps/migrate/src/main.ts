/**
 * Brings the database in `DATABASE_URL` up to date and exits: `npm run migrate`, and the role
 * `migrate` of the image.
 */
import { migrateDatabase } from '@agent-wallet/migration';
import { exitOnFault } from '@agent-wallet/process';
import { parseConfig } from './config.ts';

exitOnFault('migrate');
const { DATABASE_URL } = parseConfig(process.env);
try {
  await migrateDatabase(DATABASE_URL, console.log);
  console.log('the schema is up to date, and so is what each role may do');
} catch (error) {
  const reason = error instanceof Error ? error.message || error.name : String(error);
  console.error(`The database could not be migrated: ${reason}.`);
  process.exitCode = 1;
}
