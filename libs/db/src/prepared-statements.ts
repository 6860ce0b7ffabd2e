import { createHash } from 'node:crypto';
import type { Interceptor } from 'slonik';

/** The code has about 150 texts. Beyond the limit, a text is parsed at each use. */
const MAX_STATEMENTS = 500;
const NAME_CHARS = 16;

/**
 * Names each query by the hash of its text, so that a connection parses it once and Postgres keeps
 * its plan. A text must not depend on the number of values: lists are arrays.
 */
export function createStatementNames(): Interceptor {
  const names = new Map<string, string>();
  return {
    name: 'prepared-statements',
    transformQuery: (_context, query) => {
      const known = names.get(query.sql);
      if (known !== undefined) return { ...query, name: known };
      if (names.size >= MAX_STATEMENTS) return query;
      const name = createHash('sha256').update(query.sql).digest('hex').slice(0, NAME_CHARS);
      names.set(query.sql, name);
      return { ...query, name };
    },
  };
}

/**
 * The connection string of sessions that read a whole table only where no index fits. The plan of a
 * prepared statement is kept: one that was made while a table was small would go on reading all of
 * it, until statistics are next gathered.
 */
export function preferIndexes(connectionString: string): string {
  const url = new URL(connectionString);
  const given = url.searchParams.get('options');
  const wanted = '-c enable_seqscan=off';
  url.searchParams.set('options', given === null ? wanted : `${given} ${wanted}`);
  return url.href;
}
