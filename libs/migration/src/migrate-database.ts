import { grantRoles, migrate } from '@agent-wallet/db';
import { migrateQueue } from '@agent-wallet/queue';

/**
 * Prepares the database for the processes, as the owner of its tables: the schema, the queue's
 * tables and the privileges of each role. May be called again, and concurrently.
 */
export async function migrateDatabase(
  databaseUrl: string,
  log: (line: string) => void = () => {},
): Promise<void> {
  await migrate(databaseUrl, { log });
  await migrateQueue(databaseUrl);
  await grantRoles(databaseUrl);
}
