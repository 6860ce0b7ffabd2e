/** Where a host's name leads, asked once. */

import { Resolver } from 'node:dns/promises';
import type { LookupFunction } from 'node:net';

/** All addresses of a host, IPv4 first; none when it has none or nobody answers. */
export type Resolve = (host: string, signal: AbortSignal) => Promise<readonly string[]>;

const DNS_TIMEOUT_MS = 2_000;
const DNS_TRIES = 2;
/** More are a sign of something else than a service; the rest is not looked at. */
const MAX_ADDRESSES = 32;

/**
 * Asks the name servers, not the machine's own list of hosts. Not `dns.lookup`: that waits in the
 * pool of threads that also reads files and unpacks bodies, and a slow name server would fill it.
 *
 * @param servers instead of the system's, as `address:port`
 */
export function createDnsResolve(servers?: readonly string[]): Resolve {
  return async (host, signal) => {
    const resolver = new Resolver({ timeout: DNS_TIMEOUT_MS, tries: DNS_TRIES });
    if (servers !== undefined) resolver.setServers(servers);
    const giveUp = (): void => resolver.cancel();
    signal.addEventListener('abort', giveUp, { once: true });
    try {
      const answers = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)]);
      signal.throwIfAborted();
      return answers
        .flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []))
        .slice(0, MAX_ADDRESSES);
    } finally {
      signal.removeEventListener('abort', giveUp);
    }
  };
}

/** A `lookup` that knows only these addresses, so that a connection can go nowhere else. */
export function pinTo(addresses: readonly string[]): LookupFunction {
  const all = addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
  return (_host, options, callback) => {
    if (options.all === true) return callback(null, all);
    const [first] = all;
    return callback(null, first?.address ?? '', first?.family);
  };
}
