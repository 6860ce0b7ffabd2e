import { once } from 'node:events';
import { afterEach, describe, expect, it } from 'vitest';

import { createHostileServers } from '../fixtures/hostile-server.ts';
import { createEgress } from './egress.ts';
import { get, send } from '../fixtures/send-by-egress.ts';

const servers = createHostileServers();
afterEach(() => servers.stop());

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

  it('sends a body without end is answered by its status when nobody reads the body', async () => {
    const origin = await servers.raw((socket) => void socket.write(`${OK}${CHUNKED}\r\n`));
    const answer = await send(origin, { maxBytes: null });
    expect(answer).toMatchObject({ kind: 'answered', status: 200, body: Buffer.alloc(0) });
    await expect.poll(() => servers.openConnections()).toBe(0);
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
