import {
  assertSchemaCompatibility,
  LATEST_SCHEMA_VERSION,
  runMigrations,
  SchemaMigrationRequiredError,
} from 'bullmq';
import { Client } from 'pg';
import { LANE_QUEUE } from './backend.ts';

/**
 * Brings the queue's tables in Postgres up to date, as their owner. The processes may not create
 * anything, so this also creates the sequence that BullMQ would create at the first job.
 */
export async function migrateQueue(databaseUrl: string): Promise<void> {
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    await runMigrations(client);
    await client.query('set search_path to bullmq');
    const { rows } = await client.query<{ name: string }>('select job_id_seq_name($1) as name', [
      LANE_QUEUE,
    ]);
    for (const { name } of rows) {
      await client.query(`create sequence if not exists ${client.escapeIdentifier(name)}`);
    }
  } finally {
    await client.end();
  }
}

/** Whether the queue's tables in Postgres are those of this version. Redis needs none. */
export async function isQueueMigrated(databaseUrl: string): Promise<boolean> {
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    await client.query('set search_path to bullmq');
    return (await assertSchemaCompatibility(client)) >= LATEST_SCHEMA_VERSION;
  } catch (error) {
    if (error instanceof SchemaMigrationRequiredError) return false;
    throw error;
  } finally {
    await client.end();
  }
}
