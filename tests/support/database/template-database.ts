import { randomBytes } from 'node:crypto';
import { Client } from 'pg';
import { migrateDatabase } from '@agent-wallet/migration';
import { type PostgresCluster, startPostgresCluster } from './postgres-cluster.ts';

/** What a test file needs to create databases. */
export interface Template {
  /** For `create database` and `drop database`. */
  readonly adminUrl: string;
  /** A migrated, empty database without connections. */
  readonly templateName: string;
}

export interface TemplateDatabase {
  /** Starts the cluster and migrates the template at the first call. */
  get(): Promise<Template>;
  /** Removes what `get` has created, if anything. */
  stop(): Promise<void>;
}

/** One per test run: a run that needs no database never starts Postgres. */
export function createTemplateDatabase(log: (line: string) => void): TemplateDatabase {
  const templateName = `template_${randomBytes(6).toString('hex')}`;
  let made: Promise<{ cluster: PostgresCluster; template: Template }> | undefined;

  async function make(): Promise<{ cluster: PostgresCluster; template: Template }> {
    const cluster = await startPostgresCluster(log);
    await runAsAdmin(cluster.adminUrl, `create database ${templateName}`);
    await migrateDatabase(databaseUrlFor(cluster.adminUrl, templateName));
    return { cluster, template: { adminUrl: cluster.adminUrl, templateName } };
  }

  return {
    get: async () => {
      made ??= make();
      return (await made).template;
    },
    stop: async () => {
      if (made === undefined) return;
      const { cluster } = await made;
      await runAsAdmin(cluster.adminUrl, `drop database ${templateName} with (force)`);
      await cluster.stop();
    },
  };
}

/** The connection string of another database of the same cluster. */
export function databaseUrlFor(adminUrl: string, name: string): string {
  const url = new URL(adminUrl);
  url.pathname = `/${name}`;
  return url.href;
}

/** Runs one statement on a new connection. */
export async function runAsAdmin<Row extends object>(
  adminUrl: string,
  statement: string,
  values?: readonly string[],
): Promise<Row[]> {
  const client = new Client({ connectionString: adminUrl });
  await client.connect();
  try {
    return (await client.query<Row>(statement, values && [...values])).rows;
  } finally {
    await client.end();
  }
}
