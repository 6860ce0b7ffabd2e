import type { DriverFactory } from './response-timeout.ts';

/** Calls `onFailed` for each connection that could not be opened. */
export function countConnectFailures(
  openDriver: DriverFactory,
  onFailed: () => void,
): DriverFactory {
  return async (options) => {
    const driver = await openDriver(options);
    const createClient: typeof driver.createClient = async () => {
      try {
        // It connects as well.
        return await driver.createClient();
      } catch (error) {
        onFailed();
        throw error;
      }
    };
    return { ...driver, createClient };
  };
}
