/** Resolves a host name once, to the only addresses that its connection may use. */

import { Resolver } from 'node:dns/promises';
import type { LookupFunction } from 'node:net';

/** All addresses of a host, IPv4 first; empty when it has none or no name server responds. */
export type Resolve = (host: string, signal: AbortSignal) => Promise<readonly string[]>;

const DNS_TIMEOUT_MS = 2_000;
const DNS_TRIES = 2;
/** Further addresses are ignored: no ordinary service has more. */
const MAX_ADDRESSES = 32;

/**
 * Queries the name servers, not the machine's hosts file; `servers` (`address:port`) replace the
 * system's. `dns.lookup` would run in the thread pool that also reads files and decompresses
 * bodies, and a slow name server would fill it.
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

/** A `lookup` that returns only these addresses, so that a connection cannot use any other. */
export function pinTo(addresses: readonly string[]): LookupFunction {
  const all = addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
  return (_host, options, callback) => {
    if (options.all === true) return callback(null, all);
    const [first] = all;
    return callback(null, first?.address ?? '', first?.family);
  };
}
