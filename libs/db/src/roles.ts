import { AppError } from '@agent-wallet/errors';
import { Client } from 'pg';
import { holdMigrationLock } from './migrate.ts';
import { readRoles } from './migration-files.ts';

/**
 * The roles of `migrations/roles.sql`. No role can log in: an operator gives each process a login
 * that is a member of one of them.
 */
export const DATABASE_ROLES = {
  api: 'agent_wallet_api',
  'tx-worker': 'agent_wallet_tx_worker',
  'confirm-worker': 'agent_wallet_confirm_worker',
  operator: 'agent_wallet_operator',
  auditor: 'agent_wallet_auditor',
} as const;

/**
 * Creates missing roles in the cluster and grants each exactly what it needs in this database. Call
 * it after `migrate` and `migrateQueue`, as the owner of their tables.
 */
export async function grantRoles(databaseUrl: string): Promise<void> {
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    await holdMigrationLock(client);
    const { name, text, checksum } = await readRoles();
    // One SQL transaction: the roles are never visible without their rights.
    await client.query('begin');
    await client.query(text);
    await client.query(
      `insert into migration (name, checksum) values ($1, $2) on conflict (name)
       do update set checksum = excluded.checksum, applied_at = now()`,
      [name, checksum],
    );
    await client.query('commit');
  } catch (cause) {
    throw new AppError(
      'SERVER_MISCONFIGURED',
      { reason: 'the roles of the database could not be created' },
      { cause },
    );
  } finally {
    await client.end();
  }
}
