import type { RequestListener } from 'node:http';
import { afterEach, describe, expect, it } from 'vitest';

import { createHostileServers } from '../fixtures/hostile-server.ts';
import { selfSigned } from '../fixtures/self-signed.ts';
import { createEgress, type EgressAnswer } from './egress.ts';
import type { Resolve } from './egress-address.ts';
import { get, requestNothing, send } from '../fixtures/send-by-egress.ts';

const servers = createHostileServers();
afterEach(() => servers.stop());

const leadTo =
  (...addresses: readonly string[]): Resolve =>
  () =>
    Promise.resolve(addresses);

type EgressOptions = Parameters<typeof createEgress>[0];

/** Sends a GET through a client that allows no loopback origin, and resolves names by `resolve`. */
function requestPublic(
  resolve: Resolve,
  url = 'https://api.example.com/',
  more: Partial<EgressOptions> = {},
): Promise<EgressAnswer> {
  return createEgress({ loopbackOrigins: [], resolve, ...more })(get(url));
}

const sayOk: RequestListener = (_request, response) => void response.end('ok');

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
