import { systemClock } from '../http/time-limit.ts';
import type { OwnerClient, OwnerClientOptions } from './owner-client.ts';
import { createOwnerClientOn } from './owner-client-on.ts';

/**
 * The client of one owner. Sends nothing by itself. Throws `BAD_REQUEST` for a URL that is not http
 * or https, and for text that is not an address.
 */
export function createOwnerClient(options: OwnerClientOptions): OwnerClient {
  return createOwnerClientOn({ clock: systemClock, timeOfDayMs: Date.now }, options);
}
