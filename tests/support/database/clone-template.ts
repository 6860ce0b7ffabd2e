import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import { databaseUrlFor, runAsAdmin, type Template } from './template-database.ts';
import { waitUntil } from '../wait-until.ts';

const LEAK_GRACE_MS = 3_000;

const templateSchema = z.object({ adminUrl: z.string(), templateName: z.string() });

/** A migrated database that belongs to one test file, or to one run. */
export interface TestDatabase extends AsyncDisposable {
  readonly url: string;
  /**
   * Drops the database. Throws an Error if a connection is still open 3 s later: each opened pool
   * must be closed.
   */
  drop(): Promise<void>;
}

/** Clones the run's template (about 50 ms); `templateUrl` returns its address. */
export async function cloneTemplate(templateUrl: string): Promise<TestDatabase> {
  const { adminUrl, templateName } = await fetchTemplate(templateUrl);
  const name = `test_${randomBytes(6).toString('hex')}`;
  await runAsAdmin(adminUrl, `create database ${name} template ${templateName}`);
  async function drop(): Promise<void> {
    const leak = await findLeak(adminUrl, name);
    await runAsAdmin(adminUrl, `drop database if exists ${name} with (force)`);
    if (leak !== undefined) throw new Error(`Still connected to the test's database: ${leak}`);
  }
  return { url: databaseUrlFor(adminUrl, name), drop, [Symbol.asyncDispose]: drop };
}

async function fetchTemplate(templateUrl: string): Promise<Template> {
  const response = await fetch(templateUrl);
  if (!response.ok) throw new Error(`No Postgres for the tests: ${await response.text()}`);
  return templateSchema.parse(await response.json());
}

/** The open connections, after a grace period in which closing ones may finish. */
async function findLeak(adminUrl: string, name: string): Promise<string | undefined> {
  const connected = (): Promise<{ application_name: string; query: string }[]> =>
    runAsAdmin(
      adminUrl,
      'select application_name, query from pg_stat_activity where datname = $1',
      [name],
    );
  try {
    await waitUntil('all connections closed', async () => (await connected()).length === 0, {
      timeoutMs: LEAK_GRACE_MS,
    });
    return undefined;
  } catch {
    const rows = await connected();
    return rows.map((row) => `${row.application_name || 'unnamed'} (${row.query})`).join('; ');
  }
}
