import { createDatabase, type Database, requireCurrentSchema } from '@agent-wallet/db';

const STATEMENT_TIMEOUT_MS = 60_000;

/**
 * Opens the database for a few statements of an operator, on a stack that closes it. Throws a
 * SchemaError when its schema is not that of this version.
 */
export async function openDatabase(
  stack: AsyncDisposableStack,
  { databaseUrl }: { readonly databaseUrl: string },
): Promise<Database> {
  const db = await createDatabase({
    url: databaseUrl,
    poolSize: 2,
    statementTimeoutMs: STATEMENT_TIMEOUT_MS,
    prepare: false,
  });
  stack.defer(() => db.end());
  await requireCurrentSchema(db);
  return db;
}
