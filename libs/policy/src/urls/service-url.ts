/**
 * URLs of paid services. The operator enters them in the catalog and the wallet calls them. So a
 * host is a public name, never an address, and an agent's path stays below the service's URL.
 */

import { isIP } from 'node:net';

import { readStrictUrl, type StrictUrl } from './strict-url.ts';

export type ServiceUrl = StrictUrl;

const HTTPS_PORT = 443;
/** Lower ports belong to mail, shells and directories, which do not speak HTTP. */
const FIRST_FREE_PORT = 1_024;
const NAMES_OF_THIS_NETWORK =
  /(^|\.)(localhost|local|localdomain|internal|intranet|lan|home|corp|private|arpa|onion)$/;

/**
 * Checks the URL of a service: https, a public host name, port 443 or one from 1024 on. Returns the
 * parsed URL, or a reason that completes "url …".
 *
 * A URL with an origin in `loopbackOrigins`, such as `http://127.0.0.1:4021`, is accepted; tests
 * and the embedded system use this.
 */
export function judgeServiceUrl(text: string, loopbackOrigins: readonly string[]): ServiceUrl {
  const isLoopback = loopbackOrigins.some(
    (origin) => text === origin || text.startsWith(`${origin}/`),
  );
  const read = readStrictUrl(isLoopback ? asHttps(text) : text);
  if (!read.ok) return read;
  if (text.includes('*')) return { ok: false, reason: 'must not contain a wildcard' };
  if (text.includes('#')) return { ok: false, reason: 'must not contain a fragment' };
  const url = new URL(text);
  const reason = isLoopback ? null : faultOfHost(url);
  return reason === null ? { ok: true, url } : { ok: false, reason };
}

/**
 * The URL of one request: `path` (with a query, if any) below the service's base URL; `/` is the
 * base URL itself. Returns a reason that completes "path …" when the result would be elsewhere.
 */
export function serviceRequestUrl(baseUrl: string, path: string): ServiceUrl {
  if (!path.startsWith('/')) return { ok: false, reason: 'must begin with a slash' };
  if (path.startsWith('//')) return { ok: false, reason: 'must not begin with two slashes' };
  const base = new URL(baseUrl);
  const text =
    path === '/' ? base.href : `${base.origin}${withoutLastSlashes(base.pathname)}${path}`;
  const read = readStrictUrl(asHttps(text));
  if (!read.ok) return read;
  if (path.includes('#')) return { ok: false, reason: 'must not contain a fragment' };
  const url = new URL(text);
  if (url.origin !== base.origin) return { ok: false, reason: 'must stay within the service' };
  return { ok: true, url };
}

/** Not a regular expression: one with an end anchor restarts at each slash. */
function withoutLastSlashes(path: string): string {
  let end = path.length;
  while (path.endsWith('/', end)) end -= 1;
  return path.slice(0, end);
}

/** A loopback service passes the same checks, except for its scheme. */
const asHttps = (text: string): string => text.replace(/^http:/, 'https:');

/** The parser has already normalised each spelling of an IPv4 address to four plain numbers. */
function faultOfHost(url: URL): string | null {
  const { hostname } = url;
  if (hostname.startsWith('[') || isIP(hostname) !== 0) {
    return 'must have a host name, not an IP address';
  }
  if (hostname.endsWith('.')) return 'must not have a host that ends with a dot';
  if (!hostname.includes('.') || NAMES_OF_THIS_NETWORK.test(hostname)) {
    return 'must have a public host name';
  }
  const port = url.port === '' ? HTTPS_PORT : Number(url.port);
  return port === HTTPS_PORT || port >= FIRST_FREE_PORT
    ? null
    : `must use port ${HTTPS_PORT} or one from ${FIRST_FREE_PORT} on`;
}
