/**
 * The only HTTP client for URLs of third parties: paid services and webhooks. Their responses are
 * treated as hostile.
 *
 * Requests go to public addresses only. The host name is resolved here, once; all its addresses
 * must be public, and the connection can only use one of them. Redirects are not followed. Size and
 * time are bounded, including the decompressed size.
 */

import { request as requestHttp, type ClientRequest, type RequestOptions } from 'node:http';
import { request as requestHttps } from 'node:https';

import { isPublicAddress, judgeServiceUrl } from '@agent-wallet/policy/services';

import { readBody } from './egress-body.ts';
import { createDnsResolve, pinTo, type Resolve } from './egress-address.ts';
import { AnswerFault, faultOf, type EgressFault } from './egress-fault.ts';
import { cleanRequestHeaders, cleanResponseHeaders, type PlainHeaders } from './headers.ts';

export type EgressSettings = {
  /** Origins on this machine that are allowed, such as `http://127.0.0.1:4021`. */
  readonly loopbackOrigins: readonly string[];
  /** Maximum concurrent requests of this process; further ones fail as `busy`. */
  readonly maxConcurrent?: number;
  /** Trusted certificates (PEM) instead of the well-known ones. */
  readonly ca?: string;
  /** Called for each request without a response, for the log; its detail is not for agents. */
  readonly onFailed?: (fault: { host: string; reason: EgressFault; detail: string }) => void;
  readonly resolve?: Resolve;
  readonly isAddressAllowed?: (address: string) => boolean;
};

type EgressRequest = {
  readonly method: string;
  readonly url: string;
  readonly headers: PlainHeaders;
  readonly body: Buffer | string | null;
  /** From now to the last byte of the response. */
  readonly timeoutMs: number;
  /** Of the response body, as sent and as decompressed; null: the body is not read. */
  readonly maxBytes: number | null;
  readonly signal?: AbortSignal;
};

export type EgressAnswer =
  | {
      readonly kind: 'answered';
      readonly status: number;
      /** Names in lower case; without hop-by-hop headers and cookies. */
      readonly headers: PlainHeaders;
      /** Decompressed; empty when it was not to be read. */
      readonly body: Buffer;
    }
  /** `detail` is for logs: it may name addresses inside this network. */
  | { readonly kind: 'failed'; readonly reason: EgressFault; readonly detail: string };

export type Egress = (request: EgressRequest) => Promise<EgressAnswer>;

const METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE']);
/** Room for a challenge of 16 KiB and the headers around it. */
const MAX_HEADER_BYTES = 32_768;
const MAX_CONCURRENT = 256;

/**
 * Creates the client. It never throws: a request without a usable response returns `failed` with
 * its fault. After `failed` it is unknown whether the service received the request.
 */
export function createEgress(settings: EgressSettings): Egress {
  const maxConcurrent = settings.maxConcurrent ?? MAX_CONCURRENT;
  const resolve = settings.resolve ?? createDnsResolve();
  let underWay = 0;

  async function run(request: EgressRequest): Promise<EgressAnswer> {
    if (underWay >= maxConcurrent) {
      return { kind: 'failed', reason: 'busy', detail: `${underWay} requests are under way` };
    }
    underWay += 1;
    const timeout = AbortSignal.timeout(request.timeoutMs);
    const signals = request.signal === undefined ? [timeout] : [timeout, request.signal];
    try {
      return await send({ ...settings, resolve }, request, AbortSignal.any(signals));
    } catch (error) {
      return {
        kind: 'failed',
        ...faultOf(error, timeout.aborted, request.signal?.aborted === true),
      };
    } finally {
      underWay -= 1;
    }
  }

  return async (request) => {
    const answer = await run(request);
    if (answer.kind === 'failed') {
      const { reason, detail } = answer;
      settings.onFailed?.({ host: URL.parse(request.url)?.host ?? '', reason, detail });
    }
    return answer;
  };
}

async function send(
  settings: EgressSettings & { readonly resolve: Resolve },
  request: EgressRequest,
  signal: AbortSignal,
): Promise<EgressAnswer> {
  const judged = judgeServiceUrl(request.url, settings.loopbackOrigins);
  if (!judged.ok) return { kind: 'failed', reason: 'refused_url', detail: `url ${judged.reason}` };
  if (!METHODS.has(request.method)) {
    return { kind: 'failed', reason: 'refused_url', detail: `method ${request.method}` };
  }
  const { url } = judged;
  signal.throwIfAborted();
  const pinned = settings.loopbackOrigins.includes(url.origin)
    ? loopbackOf(url)
    : await settings.resolve(url.hostname, signal);
  const isAllowed = settings.loopbackOrigins.includes(url.origin)
    ? (): boolean => true
    : (settings.isAddressAllowed ?? isPublicAddress);
  if (pinned.length === 0) {
    return { kind: 'failed', reason: 'unresolvable', detail: `${url.hostname} has no address` };
  }
  const refused = pinned.find((address) => !isAllowed(address));
  if (refused !== undefined) {
    return { kind: 'failed', reason: 'refused_address', detail: `${url.hostname} is ${refused}` };
  }
  return exchange(url, request, {
    lookup: pinTo(pinned),
    signal,
    ...(settings.ca === undefined ? {} : { ca: settings.ca }),
  });
}

function loopbackOf(url: URL): readonly string[] {
  return url.hostname === '[::1]' ? ['::1'] : ['127.0.0.1'];
}

/** Sends one request on a connection of its own and reads the response to the end. */
async function exchange(
  url: URL,
  request: EgressRequest,
  wiring: Pick<RequestOptions, 'lookup' | 'signal'> & { readonly ca?: string },
): Promise<EgressAnswer> {
  const body = request.body === null ? null : Buffer.from(request.body);
  const options = {
    ...wiring,
    method: request.method,
    headers: cleanRequestHeaders(request.headers, body?.length ?? null),
    agent: false,
    autoSelectFamily: true,
    maxHeaderSize: MAX_HEADER_BYTES,
    insecureHTTPParser: false,
    rejectUnauthorized: true,
  };
  const outgoing =
    url.protocol === 'https:' ? requestHttps(url, options) : requestHttp(url, options);
  const response = await answerTo(outgoing, body);
  // From here on, connection errors surface while the body is read.
  outgoing.on('error', () => undefined);
  try {
    return {
      kind: 'answered',
      status: response.statusCode ?? 0,
      headers: cleanResponseHeaders(response.headers),
      body:
        request.maxBytes === null ? Buffer.alloc(0) : await readBody(response, request.maxBytes),
    };
  } finally {
    outgoing.destroy();
  }
}

type Incoming = Parameters<typeof readBody>[0];

function answerTo(outgoing: ClientRequest, body: Buffer | null): Promise<Incoming> {
  return new Promise((resolve, reject) => {
    outgoing.once('error', reject);
    outgoing.once('response', resolve);
    outgoing.once('upgrade', (_response, socket) => {
      socket.destroy();
      reject(new AnswerFault('bad_answer', 'the service switched protocols'));
    });
    outgoing.end(body ?? undefined);
  });
}
