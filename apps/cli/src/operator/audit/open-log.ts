import { createDatabase, type Database } from '@agent-wallet/db';
import type { Config } from '../config.ts';

const STATEMENT_TIMEOUT_MS = 120_000;

/** Opens the database for reading the whole log. */
export function openLog({ databaseUrl }: Pick<Config, 'databaseUrl'>): Promise<Database> {
  return createDatabase({
    url: databaseUrl,
    poolSize: 2,
    statementTimeoutMs: STATEMENT_TIMEOUT_MS,
    // A few queries over whole tables.
    prepare: false,
  });
}
