import type { IncomingHttpHeaders, OutgoingHttpHeaders } from 'node:http';
import { brotliCompressSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { afterEach, describe, expect, it } from 'vitest';

import { createHostileServers } from '../fixtures/hostile-server.ts';
import type { Egress, EgressAnswer } from './egress.ts';
import { send } from '../fixtures/send-by-egress.ts';

const servers = createHostileServers();
afterEach(() => servers.stop());

/** The headers that a service receives. */
async function sent(more: Partial<Parameters<Egress>[0]>): Promise<IncomingHttpHeaders> {
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
