import type { createPgDriverFactory } from '@slonik/pg-driver';
import { BackendTerminatedUnexpectedlyError } from 'slonik';
import { SilenceError } from './faults.ts';

export type DriverFactory = ReturnType<typeof createPgDriverFactory>;

/**
 * Ends a connection that does not respond to a query within `timeoutMs`. The statement timeout is
 * the server's: it does not help when the server is gone and the network says nothing about it.
 * What the query did is unknown, as after any broken connection.
 */
export function withResponseTimeout(openDriver: DriverFactory, timeoutMs: number): DriverFactory {
  return async (options) => {
    const driver = await openDriver(options);
    const createClient: typeof driver.createClient = async () => {
      const client = await driver.createClient();
      // The pool removes its listener a second after it ends a connection. The socket may fail
      // minutes later, and Node ends the process on an `error` event without a listener.
      client.on('error', () => undefined);
      const query: typeof client.query = async (...args) => {
        const late = Promise.withResolvers<never>();
        const timer = setTimeout(() => {
          const cause = new SilenceError(`the database did not respond within ${timeoutMs} ms`);
          late.reject(new BackendTerminatedUnexpectedlyError(cause));
          void client.destroy();
        }, timeoutMs);
        try {
          return await Promise.race([client.query(...args), late.promise]);
        } finally {
          clearTimeout(timer);
        }
      };
      return { ...client, query };
    };
    return { ...driver, createClient };
  };
}
