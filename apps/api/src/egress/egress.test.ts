import { once } from 'node:events';
import type { IncomingHttpHeaders, OutgoingHttpHeaders, RequestListener } from 'node:http';
import { brotliCompressSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { afterEach, describe, expect, it } from 'vitest';

import { createHostileServers } from '../../test/fixtures/hostile-server.ts';
import { selfSigned } from '../../test/fixtures/self-signed.ts';
import { createEgress, type Egress, type EgressAnswer } from './egress.ts';
import type { Resolve } from './egress-address.ts';

type EgressRequest = Parameters<Egress>[0];

const servers = createHostileServers();
afterEach(() => servers.stop());

const requestNothing: Resolve = () => {
  throw new Error('no name may be resolved here');
};
const leadTo =
  (...addresses: readonly string[]): Resolve =>
  () =>
    Promise.resolve(addresses);

function get(url: string, more: Partial<EgressRequest> = {}): EgressRequest {
  return {
    method: 'GET',
    url,
    headers: {},
    body: null,
    timeoutMs: 10_000,
    maxBytes: 65_536,
    ...more,
  };
}

type EgressOptions = Parameters<typeof createEgress>[0];

/** Sends a GET through a client that allows no loopback origin, and resolves names by `resolve`. */
function requestPublic(
  resolve: Resolve,
  url = 'https://api.example.com/',
  more: Partial<EgressOptions> = {},
): Promise<EgressAnswer> {
  return createEgress({ loopbackOrigins: [], resolve, ...more })(get(url));
}

/** Sends a request to a loopback server whose origin is allowed. */
function send(
  origin: string,
  more: Partial<EgressRequest> = {},
  path = '/',
): Promise<EgressAnswer> {
  const egress = createEgress({ loopbackOrigins: [origin], resolve: requestNothing });
  return egress(get(`${origin}${path}`, more));
}

const sayOk: RequestListener = (_request, response) => void response.end('ok');

/** The headers that a service receives. */
async function sent(more: Partial<EgressRequest>): Promise<IncomingHttpHeaders> {
  const seen: IncomingHttpHeaders[] = [];
  const origin = await servers.http((request, response) => {
    seen.push(request.headers);
    request.resume().once('end', () => response.end());
  });
  expect(await send(origin, more)).toMatchObject({ kind: 'answered' });
  const [headers] = seen;
  if (headers === undefined) throw new Error('the request did not arrive');
  return headers;
}

describe('the destination of a request', () => {
  it.each([
    'http://api.example.com/',
    'https://127.0.0.1/',
    'https://2130706433/',
    'https://0x7f.1/',
    'https://0177.0.0.1/',
    'https://１２７.０.０.１/',
    'https://[::1]/',
    'https://[::ffff:127.0.0.1]/',
    'https://[fe80::1%25eth0]/',
    'https://localhost/',
    'https://metadata.google.internal/',
    'https://user@api.example.com/',
    'https://api.example.com:25/',
    'https://api.example.com\\@127.0.0.1/',
    'not a url',
  ])('refuses %s before it resolves any name', async (url) => {
    expect(await requestPublic(requestNothing, url)).toMatchObject({
      kind: 'failed',
      reason: 'refused_url',
    });
  });

  it.each([
    [['127.0.0.1']],
    [['10.1.2.3']],
    [['169.254.169.254']],
    [['100.64.0.1']],
    [['0.0.0.0']],
    [['::1']],
    [['::ffff:10.0.0.1']],
    [['64:ff9b::a00:1']],
    [['fd00::1']],
    [['8.8.8.8', '127.0.0.1']],
    [['2606:4700:4700::1111', '8.8.8.8', 'fe80::1']],
    [['garbage']],
  ])('refuses a public name that resolves to %j', async (addresses) => {
    expect(await requestPublic(leadTo(...addresses))).toMatchObject({
      kind: 'failed',
      reason: 'refused_address',
    });
  });

  it('reports a name without addresses as unresolvable', async () => {
    expect(await requestPublic(leadTo())).toMatchObject({ kind: 'failed', reason: 'unresolvable' });
  });

  it('connects to the checked address, even if the name resolves differently later', async () => {
    const identity = selfSigned('api.example.com');
    const origin = await servers.https(
      (_request, response) => void response.end('here'),
      identity,
      'api.example.com',
    );
    let lookups = 0;
    const egress = createEgress({
      loopbackOrigins: [],
      ca: identity.cert,
      isAddressAllowed: (address) => address === '127.0.0.1',
      resolve: () => {
        lookups += 1;
        return Promise.resolve(lookups === 1 ? ['127.0.0.1'] : ['10.0.0.1']);
      },
    });
    expect(await egress(get(`${origin}/`))).toMatchObject({
      status: 200,
      body: Buffer.from('here'),
    });
    expect(lookups).toBe(1);
    expect(await egress(get(`${origin}/`))).toMatchObject({ reason: 'refused_address' });
  });

  it.each(['CONNECT', 'TRACE', 'OPTIONS', 'get', 'GET /x', ''])(
    'refuses the method %j',
    async (method) => {
      const origin = await servers.http((_request, response) => void response.end());
      expect(await send(origin, { method })).toMatchObject({ reason: 'refused_url' });
    },
  );

  it('follows no redirect, not even to itself', async () => {
    let requests = 0;
    const origin = await servers.http((request, response) => {
      requests += 1;
      response.writeHead(307, { location: request.url }).end();
    });
    expect(await send(origin)).toMatchObject({ kind: 'answered', status: 307 });
    expect(requests).toBe(1);
  });
});

describe('TLS', () => {
  it.each([
    ['a certificate of an unknown authority', selfSigned('api.example.com'), 'trust none'],
    ['a certificate for another name', selfSigned('other.example.com'), 'trust it'],
    ['an expired certificate', selfSigned('api.example.com', new Date('2021-01-01')), 'trust it'],
  ])('refuses %s', async (_case, identity, trust) => {
    const origin = await servers.https(sayOk, identity, 'api.example.com');
    const answer = await requestPublic(leadTo('127.0.0.1'), `${origin}/`, {
      isAddressAllowed: () => true,
      ...(trust === 'trust it' ? { ca: identity.cert } : {}),
    });
    expect(answer).toMatchObject({ kind: 'failed', reason: 'tls' });
  });

  it('refuses a service that speaks plain HTTP on the port', async () => {
    const origin = await servers.http(sayOk);
    const url = origin.replace('http://127.0.0.1', 'https://api.example.com');
    const allowAll = { isAddressAllowed: () => true };
    const answer = await requestPublic(leadTo('127.0.0.1'), url, allowAll);
    expect(answer).toMatchObject({ kind: 'failed', reason: 'tls' });
  });
});

describe('a sent request', () => {
  it('has no hop-by-hop header, no header of the caller and none that describes the message', async () => {
    const headers = await sent({
      headers: {
        Authorization: 'Bearer svc_dev_secret',
        Cookie: 'svc_session=secret',
        'Proxy-Authorization': 'Basic c2VjcmV0',
        Origin: 'https://wallet.example.com',
        Referer: 'https://wallet.example.com/',
        Forwarded: 'for=10.0.0.1',
        'X-Forwarded-For': '10.0.0.1',
        'X-Real-IP': '10.0.0.1',
        TE: 'trailers',
        Upgrade: 'h2c',
        'Keep-Alive': 'timeout=5',
        'Transfer-Encoding': 'chunked',
        'Content-Length': '999',
        Host: 'evil.example',
        Expect: '100-continue',
        Connection: 'x-secret, close',
        'X-Secret': 'secret',
        'X-Payment-Proof': 'proof',
        Accept: 'application/json',
      },
    });
    expect(headers).toEqual({
      accept: 'application/json',
      'accept-encoding': 'identity',
      connection: 'close',
      host: expect.stringMatching(/^127\.0\.0\.1:\d+$/),
      'user-agent': 'agent-wallet',
      'x-payment-proof': 'proof',
    });
  });

  it('has the content-length of its body', async () => {
    const headers = await sent({ method: 'POST', body: '{"é":1}' });
    expect(headers['content-length']).toBe('8');
  });

  it.each([{ 'x-a': 'b\r\nx-c: d' }, { 'x-a\r\nx-c': 'd' }, { 'x-a': '\u0000' }, { 'x-a': '☃' }])(
    'never contains the injected header %j',
    async (headers) => {
      let requests = 0;
      const origin = await servers.http((_request, response) => {
        requests += 1;
        response.end();
      });
      expect(await send(origin, { headers })).toMatchObject({ kind: 'failed' });
      expect(requests).toBe(0);
    },
  );
});

/** Returns what egress makes of a response with this body. */
async function receive(headers: OutgoingHttpHeaders, body: Buffer): Promise<EgressAnswer> {
  return send(
    await servers.http((_request, response) => response.writeHead(402, headers).end(body)),
  );
}

describe('a received response', () => {
  it('is the status, the body, and headers without cookies and hop-by-hop ones', async () => {
    const origin = await servers.http((_request, response) => {
      response.writeHead(402, {
        'Content-Type': 'text/plain',
        'Set-Cookie': ['a=b', 'c=d'],
        'Keep-Alive': 'timeout=5',
        'Proxy-Authenticate': 'Basic',
        Connection: 'close, x-hop',
        'X-Hop': 'a',
        'PAYMENT-REQUIRED': 'e30=',
      });
      response.end('pay');
    });
    const answer = await send(origin);
    expect(answer).toEqual({
      kind: 'answered',
      status: 402,
      headers: {
        'content-type': 'text/plain',
        date: expect.any(String),
        'payment-required': 'e30=',
      },
      body: Buffer.from('pay'),
    });
  });

  it.each([
    ['gzip', gzipSync('unpacked')],
    ['X-GZIP', gzipSync('unpacked')],
    ['deflate', deflateSync('unpacked')],
    ['br', brotliCompressSync('unpacked')],
    ['zstd', zstdCompressSync('unpacked')],
    ['identity', Buffer.from('unpacked')],
  ])('is decompressed from %s, although not requested', async (encoding, body) => {
    const answer = await receive({ 'content-encoding': encoding }, body);
    expect(answer).toMatchObject({ kind: 'answered', body: Buffer.from('unpacked') });
    expect(answer).not.toHaveProperty('headers.content-encoding');
  });

  it.each([
    ['gzip', gzipSync(Buffer.alloc(10_000_000))],
    ['br', brotliCompressSync(Buffer.alloc(10_000_000))],
    ['zstd', zstdCompressSync(Buffer.alloc(10_000_000))],
    ['deflate', deflateSync(Buffer.alloc(10_000_000))],
  ])('is refused as a decompression bomb of %s', async (encoding, body) => {
    expect(body.length).toBeLessThan(65_536);
    const answer = await receive({ 'content-encoding': encoding }, body);
    expect(answer).toMatchObject({ kind: 'failed', reason: 'too_large' });
  });

  it.each([
    ['gzip, gzip', gzipSync(gzipSync('x'))],
    ['compress', Buffer.from('x')],
    ['gzip', Buffer.from('not packed')],
    ['gzip', gzipSync('cut off').subarray(0, 12)],
    ['constructor', Buffer.from('x')],
  ])('is refused when its encoding %j does not decompress', async (encoding, body) => {
    const answer = await receive({ 'content-encoding': encoding }, body);
    expect(answer).toMatchObject({ kind: 'failed', reason: 'bad_answer' });
  });

  it.each([
    ['says so', { 'content-length': String(1_048_576) }],
    ['does not say so', {}],
  ])('is refused above the limit when the service %s', async (_case, headers) => {
    const answer = await receive(headers, Buffer.alloc(1_048_576));
    expect(answer).toMatchObject({ kind: 'failed', reason: 'too_large' });
  });

  it('may be exactly as large as wanted', async () => {
    const origin = await servers.http((_request, response) => void response.end(Buffer.alloc(9)));
    expect(await send(origin, { maxBytes: 9 })).toMatchObject({ kind: 'answered' });
    expect(await send(origin, { maxBytes: 8 })).toMatchObject({ reason: 'too_large' });
  });
});

const OK = 'HTTP/1.1 200 OK\r\n';
const CHUNKED = 'Transfer-Encoding: chunked\r\n';

/** Broken responses: each server sends `head` and closes the connection. */
const BROKEN: readonly (readonly [what: string, reason: string, head: string])[] = [
  ['closes without a word', 'bad_answer', ''],
  ['speaks another protocol', 'bad_answer', 'SSH-2.0-OpenSSH_9.9\r\n'],
  ['answers with garbage', 'bad_answer', '\u0000\u0001\u0002\u0003\r\n\r\n'],
  ['cuts its answer off', 'bad_answer', `${OK}Content-Length: 100\r\n\r\nshort`],
  ['cuts its headers off', 'bad_answer', `${OK}Content-Le`],
  ['cuts a chunk off', 'bad_answer', `${OK}${CHUNKED}\r\nff\r\nx`],
  ['gives a chunk no size', 'bad_answer', `${OK}${CHUNKED}\r\nzz\r\n`],
  ['gives two lengths', 'bad_answer', `${OK}Content-Length: 1\r\nContent-Length: 2\r\n\r\nab`],
  ['gives a length and chunks', 'bad_answer', `${OK}Content-Length: 3\r\n${CHUNKED}\r\n0\r\n\r\n`],
  ['puts a NUL into a header', 'bad_answer', `${OK}X-A: a\u0000b\r\n\r\n`],
  [
    'switches protocols',
    'bad_answer',
    'HTTP/1.1 101 Switching\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n',
  ],
  ['sends a header of 64 KiB', 'too_large', `${OK}X-A: ${'a'.repeat(65_536)}\r\n\r\n`],
  ['sends 5 000 headers', 'too_large', `${OK}${'X-Number: 12345\r\n'.repeat(5_000)}\r\n`],
];

/** Endless responses: each server sends `head`, then `again` until the connection closes. */
const ENDLESS: readonly (readonly [what: string, reason: string, head: string, again: string])[] = [
  ['chunks', 'too_large', `${OK}${CHUNKED}\r\n`, `400\r\n${'a'.repeat(1_024)}\r\n`],
  ['a body without a length', 'too_large', `${OK}\r\n`, 'a'.repeat(1_024)],
  ['headers', 'too_large', OK, `X-A: ${'a'.repeat(1_024)}\r\n`],
  ['trailers', 'bad_answer', `${OK}${CHUNKED}\r\n0\r\n`, `X-A: ${'a'.repeat(1_024)}\r\n`],
  ['interim answers', 'timeout', '', 'HTTP/1.1 100 Continue\r\n\r\n'],
];

describe('a service that', () => {
  it.each(BROKEN)('%s makes egress fail as %s', async (_what, reason, head) => {
    const origin = await servers.raw((socket) => void socket.end(Buffer.from(head, 'latin1')));
    expect(await send(origin)).toMatchObject({ kind: 'failed', reason });
  });

  it.each(ENDLESS)(
    'sends %s without end makes egress fail as %s',
    async (_what, reason, head, again) => {
      const origin = await servers.raw((socket) => {
        socket.write(head);
        const more = (): void => {
          while (!socket.destroyed && socket.write(again));
          if (!socket.destroyed) socket.once('drain', more);
        };
        more();
      });
      expect(await send(origin, { timeoutMs: 500 })).toMatchObject({ kind: 'failed', reason });
    },
  );

  it.each([
    ['accepts and says nothing', ''],
    ['stops within the headers', 'HTTP/1.1 200 OK\r\nX-A:'],
    ['stops within the body', 'HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nabc'],
    ['stops within a chunk', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nff\r\nabc'],
  ])('%s runs out of time', async (_what, head) => {
    const origin = await servers.raw((socket) => void socket.write(head));
    expect(await send(origin, { timeoutMs: 100 })).toMatchObject({ reason: 'timeout' });
  });

  it('sends a byte now and then runs out of time all the same', async () => {
    const origin = await servers.raw((socket) => {
      socket.write('HTTP/1.1 200 OK\r\nContent-Length: 50000\r\n\r\n');
      const timer = setInterval(() => socket.write('a'), 5);
      socket.once('close', () => clearInterval(timer));
    });
    expect(await send(origin, { timeoutMs: 200 })).toMatchObject({ reason: 'timeout' });
  });

  it('is not there is unreachable, and the log is told where', async () => {
    const origin = await servers.nobody();
    const told: unknown[] = [];
    const egress = createEgress({
      loopbackOrigins: [origin],
      onFailed: (fault) => told.push(fault),
    });
    const answer = await egress(get(`${origin}/?key=secret`));
    expect(answer).toMatchObject({ kind: 'failed', reason: 'unreachable' });
    const host = origin.slice('http://'.length);
    expect(told).toEqual([
      { host, reason: 'unreachable', detail: expect.stringContaining('ECONNREFUSED') },
    ]);
  });

  it('has a name that takes for ever to resolve runs out of time', async () => {
    const egress = createEgress({
      loopbackOrigins: [],
      resolve: async (_host, signal) => {
        await once(signal, 'abort');
        throw signal.reason;
      },
    });
    const answer = await egress(get('https://api.example.com/', { timeoutMs: 50 }));
    expect(answer).toMatchObject({ reason: 'timeout' });
  });
});

describe('a caller that gives up', () => {
  it('gets an answer at once, and the connection is gone', async () => {
    const arrived = Promise.withResolvers<void>();
    const origin = await servers.raw(() => arrived.resolve());
    const giveUp = new AbortController();
    const answer = send(origin, { signal: giveUp.signal });
    await arrived.promise;
    giveUp.abort();
    expect(await answer).toMatchObject({ kind: 'failed', reason: 'aborted' });
    await expect.poll(() => servers.openConnections()).toBe(0);
  });

  it('before the request sends none', async () => {
    let requests = 0;
    const origin = await servers.raw(() => (requests += 1));
    expect(await send(origin, { signal: AbortSignal.abort() })).toMatchObject({
      reason: 'aborted',
    });
    expect(requests).toBe(0);
  });
});

describe('egress under load', () => {
  it('turns away what is more than it may have under way, and takes more later', async () => {
    const waiting: (() => void)[] = [];
    const both = Promise.withResolvers<void>();
    const origin = await servers.http((_request, response) => {
      waiting.push(() => response.end());
      if (waiting.length === 2) both.resolve();
    });
    const egress = createEgress({ loopbackOrigins: [origin], maxConcurrent: 2 });
    const first = [egress(get(`${origin}/`)), egress(get(`${origin}/`))];
    await both.promise;
    expect(await egress(get(`${origin}/`))).toMatchObject({ kind: 'failed', reason: 'busy' });
    for (const answer of waiting) answer();
    expect(await Promise.all(first)).toMatchObject([{ status: 200 }, { status: 200 }]);
    const later = egress(get(`${origin}/`));
    await expect.poll(() => waiting.length).toBe(3);
    waiting[2]?.();
    expect(await later).toMatchObject({ status: 200 });
  });

  it('leaves no connection open after an answer, a refusal or a fault', async () => {
    const origin = await servers.http((request, response) => {
      if (request.url === '/large') response.end(Buffer.alloc(1_048_576));
      else response.end('ok');
    });
    await Promise.all([send(origin), send(origin, {}, '/large'), send(origin, { method: 'HEAD' })]);
    await expect.poll(() => servers.openConnections()).toBe(0);
  });
});
