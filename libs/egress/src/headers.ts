/** The headers that pass between the wallet and a service, in each direction. */

import type { IncomingHttpHeaders } from 'node:http';

/** Names in lower case, one value each. */
export type PlainHeaders = Readonly<Record<string, string>>;

/** Hop-by-hop headers: they apply to one connection only (RFC 9110 §7.6.1). */
const HOP_BY_HOP = [
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authentication-info',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'http2-settings',
];
/** Headers that would leak a caller's secrets or address to a service. */
const OF_OUR_CALLERS = [
  'authorization',
  'cookie',
  'cookie2',
  'origin',
  'referer',
  'forwarded',
  'via',
];
/** Headers that follow from the URL and the body; a given value could only contradict them. */
const OF_THE_MESSAGE = ['host', 'content-length', 'expect', 'accept-encoding', 'user-agent'];
const OF_THE_SERVICE = ['set-cookie', 'set-cookie2', 'content-encoding', 'content-length'];
const FORWARDED = /^(x-forwarded-|x-real-ip$|cf-|true-client-ip$)/;

const NOT_SENT: ReadonlySet<string> = new Set([
  ...HOP_BY_HOP,
  ...OF_OUR_CALLERS,
  ...OF_THE_MESSAGE,
]);
const NOT_TAKEN: ReadonlySet<string> = new Set([...HOP_BY_HOP, ...OF_THE_SERVICE]);

/** Response headers of a service that an agent receives, beside status and body. */
const PASSED_ON = [
  'content-type',
  'content-language',
  'content-disposition',
  'cache-control',
  'etag',
  'last-modified',
  'retry-after',
];

/** The headers of a request as they are sent; `content-length` is computed here. */
export function cleanRequestHeaders(given: PlainHeaders, bodyBytes: number | null): PlainHeaders {
  const named = namedByConnection(valueOf(given, 'connection'));
  const kept = Object.entries(given)
    .map(([name, value]) => [name.toLowerCase(), value] as const)
    .filter(([name]) => !NOT_SENT.has(name) && !named.has(name) && !FORWARDED.test(name));
  return {
    ...Object.fromEntries(kept),
    'user-agent': 'agent-wallet',
    'accept-encoding': 'identity',
    ...(bodyBytes === null ? {} : { 'content-length': String(bodyBytes) }),
  };
}

/** The headers of a response as the rest of the api sees them. */
export function cleanResponseHeaders(received: IncomingHttpHeaders): PlainHeaders {
  const named = namedByConnection(received.connection);
  return Object.fromEntries(
    Object.entries(received).flatMap(([name, value]) =>
      typeof value !== 'string' || NOT_TAKEN.has(name) || named.has(name) ? [] : [[name, value]],
    ),
  );
}

/** The headers of a service's response that are passed on to the agent. */
export function headersForAgent(headers: PlainHeaders): PlainHeaders {
  return Object.fromEntries(
    PASSED_ON.flatMap((name) => {
      const value = headers[name];
      return value === undefined ? [] : [[name, value]];
    }),
  );
}

/** `Connection: close, x-secret` makes `x-secret` hop-by-hop as well. */
function namedByConnection(value: string | undefined): ReadonlySet<string> {
  return new Set((value ?? '').split(',').map((name) => name.trim().toLowerCase()));
}

function valueOf(headers: PlainHeaders, wanted: string): string | undefined {
  return Object.entries(headers).find(([name]) => name.toLowerCase() === wanted)?.[1];
}
