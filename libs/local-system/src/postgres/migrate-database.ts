import { grantRoles, migrate } from '@agent-wallet/db';
import { migrateQueue } from '@agent-wallet/queue';

/**
 * Makes the database ready for the processes, as the owner of its tables: schema, the queue's
 * tables, and what the role of each process may do. May be called again and by several at once.
 */
export async function migrateDatabase(
  databaseUrl: string,
  log: (line: string) => void = () => {},
): Promise<void> {
  await migrate(databaseUrl, log);
  await migrateQueue(databaseUrl);
  await grantRoles(databaseUrl);
}
