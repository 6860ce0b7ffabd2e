import { createPgDriverFactory } from '@slonik/pg-driver';
import {
  createPool,
  type DatabasePool,
  type DatabaseTransactionConnection,
  type Interceptor,
  SchemaValidationError,
  sql,
} from 'slonik';
import type { Registry } from 'prom-client';
import { limitConnectionWait } from './connection-wait.ts';
import { createPoolMetrics } from './pool-metrics.ts';
import { createStatementNames, preferIndexes } from './prepared-statements.ts';
import { countConnectFailures } from './connect-failures.ts';
import { withResponseTimeout } from './response-timeout.ts';

export type Database = DatabasePool;
/** An open SQL transaction. */
export type SqlTransaction = DatabaseTransactionConnection;

type DatabaseOptions = {
  readonly url: string;
  readonly poolSize: number;
  /** Upper bound of one statement, 10 s by default. */
  readonly statementTimeoutMs?: number;
  /** A connection without a response for this long is given up; by default 5 s after that bound. */
  readonly responseTimeoutMs?: number;
  /** Longest wait for a free connection, and for a new one; 5 s by default. */
  readonly connectionTimeoutMs?: number;
  /** Whether each text is prepared once per connection; true by default. */
  readonly prepare?: boolean;
  /** Called when an idle connection breaks; the pool replaces it by itself. */
  readonly onConnectionError?: (error: Error) => void;
  /** Where the metrics of the pool are registered; without it there are none. */
  readonly registry?: Registry;
};

const CONNECTION_TIMEOUT_MS = 5_000;
const STATEMENT_TIMEOUT_MS = 10_000;
/** For the server's own timeout, and its response, to arrive first. */
const NETWORK_ALLOWANCE_MS = 5_000;

/**
 * Opens a pool in which int8 and numeric are bigint, timestamptz is Date, and every row is
 * parsed by its query's schema.
 *
 * SQL transactions are never retried by the library: a callback that ran twice could act twice.
 * Connections are not reset on release, because nothing here leaves session state behind.
 */
export async function createDatabase(options: DatabaseOptions): Promise<Database> {
  const isPreparing = options.prepare !== false;
  const {
    statementTimeoutMs = STATEMENT_TIMEOUT_MS,
    responseTimeoutMs = statementTimeoutMs + NETWORK_ALLOWANCE_MS,
    connectionTimeoutMs = CONNECTION_TIMEOUT_MS,
  } = options;
  const metrics = options.registry === undefined ? null : createPoolMetrics(options.registry);
  const driver = withResponseTimeout(createPgDriverFactory(), responseTimeoutMs);
  const pool = await createPool(isPreparing ? preferIndexes(options.url) : options.url, {
    driverFactory: countConnectFailures(driver, () => metrics?.failed('connect')),
    maxPoolSize: options.poolSize,
    idleTimeout: 60_000,
    connectionTimeout: connectionTimeoutMs,
    connectionRetryLimit: 0,
    statementTimeout: statementTimeoutMs,
    idleInTransactionSessionTimeout: 10_000,
    gracefulTerminationTimeout: 1_000,
    queryRetryLimit: 0,
    transactionRetryLimit: 0,
    captureStackTrace: false,
    resetConnection: async () => {},
    typeParsers: [
      { name: 'int8', parse: BigInt },
      { name: 'numeric', parse: parseWholeNumber },
      { name: 'timestamptz', parse: (value) => new Date(value) },
    ],
    interceptors: [...(isPreparing ? [createStatementNames()] : []), createRowParser()],
  });
  pool.on('error', (error) => options.onConnectionError?.(error));
  metrics?.watch(pool, options.poolSize);
  return limitConnectionWait(pool, connectionTimeoutMs, () => metrics?.failed('wait_timeout'));
}

/** Runs an empty query. Throws when the database does not answer. */
export async function pingDatabase(db: Database): Promise<void> {
  await db.query(sql.unsafe`select 1`);
}

/** Money columns are numeric(20, 0). Throws on a fraction, which only a wrong query returns. */
function parseWholeNumber(value: string): bigint {
  return BigInt(value);
}

/** Rows are parsed, not trusted: the schema given with `sql.type` decides. */
function createRowParser(): Interceptor {
  return {
    name: 'row-parser',
    transformRow: (context, query, row) => {
      const schema = context.resultParser;
      if (schema === undefined) return row;
      const parsed = schema['~standard'].validate(row);
      if (parsed instanceof Promise) throw new TypeError('row schemas are synchronous');
      if (parsed.issues !== undefined) throw new SchemaValidationError(query, row, parsed.issues);
      // The schema has validated the row.
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion
      return parsed.value as typeof row;
    },
  };
}
