import { createDatabase, type Database } from '@agent-wallet/db';
import { afterAll, inject } from 'vitest';
import { cloneTemplate, type TestDatabase } from './clone-template.ts';

export type { TestDatabase } from './clone-template.ts';

/** A clone of the run's template. Call `drop` in `afterAll`, or use `await using`. */
export function createTestDatabase(): Promise<TestDatabase> {
  return cloneTemplate(inject('templateUrl'));
}

/** A database of a test file and a pool on it, which are closed after the file's last test. */
export async function useTestDatabase(
  pool: Partial<Parameters<typeof createDatabase>[0]> = {},
): Promise<{ readonly url: string; readonly db: Database }> {
  const stack = new AsyncDisposableStack();
  afterAll(() => stack.disposeAsync());
  const { url } = stack.use(await createTestDatabase());
  const db = await createDatabase({ poolSize: 4, ...pool, url });
  stack.defer(() => db.end());
  return { url, db };
}
