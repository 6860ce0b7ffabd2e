import { type CommonQueryMethods, ConnectionError, type DatabasePool } from 'slonik';
import { SilenceError } from './faults.ts';

/**
 * Rejects a call that has got no connection within `timeoutMs`; nothing of it has run or will run.
 * The library lets calls wait for ever. While the database is silent, each connection fails only
 * after its own time limit, so the last calls in the line would wait for many of these in a row.
 * `onLate` is called for each call that is rejected.
 */
export function limitConnectionWait(
  pool: DatabasePool,
  timeoutMs: number,
  onLate: () => void,
): DatabasePool {
  const acquire = pool.connect;
  const connect: DatabasePool['connect'] = async (routine) => {
    const late = Promise.withResolvers<null>();
    let isLate = false;
    const timer = setTimeout(() => {
      isLate = true;
      late.resolve(null);
    }, timeoutMs);
    const running = acquire(async (connection) => {
      clearTimeout(timer);
      // The caller has its error already; the connection goes back unused.
      return isLate ? null : { result: await routine(connection) };
    });
    try {
      const ended = await Promise.race([running, late.promise]);
      if (ended !== null) return ended.result;
    } finally {
      clearTimeout(timer);
    }
    onLate();
    const sentence = `no database connection was free within ${timeoutMs} ms`;
    throw new ConnectionError(sentence, { cause: new SilenceError(sentence) });
  };
  const limited: Omit<CommonQueryMethods, 'record' | 'stream'> = {
    any: (query) => connect((connection) => connection.any(query)),
    anyFirst: (query) => connect((connection) => connection.anyFirst(query)),
    exists: (query) => connect((connection) => connection.exists(query)),
    many: (query) => connect((connection) => connection.many(query)),
    manyFirst: (query) => connect((connection) => connection.manyFirst(query)),
    maybeOne: (query) => connect((connection) => connection.maybeOne(query)),
    maybeOneFirst: (query) => connect((connection) => connection.maybeOneFirst(query)),
    one: (query) => connect((connection) => connection.one(query)),
    oneFirst: (query) => connect((connection) => connection.oneFirst(query)),
    query: (query) => connect((connection) => connection.query(query)),
    transaction: (handler, retryLimit) =>
      connect((connection) => connection.transaction(handler, retryLimit)),
  };
  return Object.assign(pool, limited, { connect });
}
