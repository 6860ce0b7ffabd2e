import { randomUUID } from 'node:crypto';
import { connect } from 'node:net';
import { once } from 'node:events';
import { expect, it, vi } from 'vitest';
import { openSession } from '../fixtures/open-session.ts';
import { expectRefused, useTestApp } from '../fixtures/test-app.ts';

const t = await useTestApp();

let address: Promise<string> | undefined;
const listen = (): Promise<string> => (address ??= t.app.listen({ host: '127.0.0.1', port: 0 }));

it.each([
  ['GET', '/'],
  ['GET', '/v1/spend/transfer/x/y'],
  ['GET', '/v1/wallet/'],
  ['GET', '/V1/wallet'],
  ['DELETE', '/v1/nowhere'],
  ['DELETE', '/v1/session/7'],
  ['GET', '/v1/%ZZ'],
  ['GET', `/v1/spend/${'x'.repeat(300)}`],
] as const)('returns 404 route not found for %s %.30s', async (method, url) => {
  const answer = await t.app.inject({ method, url });
  expect([answer.statusCode, answer.json()]).toEqual([
    404,
    { error: 'route not found', code: 'ROUTE_NOT_FOUND', layer: 'off-chain', retryable: false },
  ]);
});

it.each([
  ['POST', '/v1/agent/limits', 'GET, HEAD'],
  ['PUT', '/v1/spend/service', 'POST'],
  ['POST', '/v1/spends?x=/v1/wallet', 'GET, HEAD, OPTIONS'],
  ['DELETE', '/v1/wallet', 'POST, OPTIONS, GET, HEAD'],
  ['PATCH', '/v1/wallet/policy', 'GET, HEAD, OPTIONS, PUT'],
  ['HEAD', '/v1/auth/siws', 'POST, OPTIONS'],
  ['DELETE', `/v1/session/${randomUUID()}`, 'GET, HEAD, OPTIONS, PATCH'],
  ['PUT', '/livez', 'GET, HEAD'],
] as const)('returns 405 with the methods of the path for %s %s', async (method, url, allow) => {
  const answer = await t.app.inject({ method, url });
  expect([answer.statusCode, answer.headers['allow']?.split(', ').toSorted()]).toEqual([
    405,
    allow.split(', ').toSorted(),
  ]);
  if (method === 'HEAD') return;
  expect(answer.json()).toEqual({
    error: 'method not allowed',
    code: 'METHOD_NOT_ALLOWED',
    layer: 'off-chain',
    retryable: false,
  });
});

it('returns for HEAD the status and headers of GET, without the body', async () => {
  const s = await openSession(t);
  const agent = { authorization: `Bearer ${s.apiKey}` };
  for (const [url, headers] of [
    ['/v1/config', {}],
    ['/openapi.json', {}],
    ['/v1/wallet', { cookie: s.owner.cookie }],
    ['/v1/wallet', {}],
    ['/v1/spends', agent],
    ['/v1/spend/7', agent],
  ] as const) {
    const get = await t.app.inject({ url, headers });
    const head = await t.app.inject({ method: 'HEAD', url, headers });
    expect([head.statusCode, head.body]).toEqual([get.statusCode, '']);
    for (const name of ['content-type', 'content-length', 'cache-control']) {
      expect([url, name, head.headers[name]]).toEqual([url, name, get.headers[name]]);
    }
  }
});

it('does not parse a body sent to an unknown route', async () => {
  const headers = { 'content-type': 'application/json' };
  const answer = await t.app.inject({ method: 'POST', url: '/v1/nowhere', headers, payload: '{' });
  expectRefused(answer, 404, 'route not found');
});

const send = async (id: string) => {
  const answer = await t.app.inject({ url: '/livez', headers: { 'x-request-id': id } });
  return answer.headers['x-request-id'];
};

it('keeps a harmless request id and replaces any other', async () => {
  expect(await send('abc-1')).toBe('abc-1');
  expect(await send('a b')).toMatch(/^[0-9a-f-]{36}$/);
});

it('serves livez and readyz, and counts for the metrics, which have a port of their own', async () => {
  expect((await t.app.inject('/livez')).json()).toEqual({ status: 'ok' });
  expect((await t.app.inject('/readyz')).json()).toEqual({ status: 'ready', checks: {} });
  expect((await t.app.inject('/metrics')).statusCode).toBe(404);
  const metrics = await t.metrics.registry.metrics();
  expect(metrics).toContain('agent_wallet_http_request_seconds');
  expect(metrics).toContain('agent_wallet_spends_answered_total');
  expect(metrics).toContain('agent_wallet_rpc_calls_total');
});

const NONCE = 'POST /v1/auth/siws/nonce HTTP/1.1';
it.each([
  ['bytes that are not HTTP', ['NONSENSE'], 400, 'request must be valid HTTP'],
  ['a request without Host', [NONCE], 400, 'host must be sent'],
  ['an unknown Expect', [NONCE, 'host: x', 'expect: tea'], 417, 'expectation failed'],
])('returns a refusal of the usual form for %s', async (_what, lines, status, error) => {
  const socket = connect(Number(new URL(await listen()).port), '127.0.0.1');
  socket.write(`${[...lines, 'content-length: 0'].join('\r\n')}\r\n\r\n`);
  let received = '';
  socket.on('data', (data) => (received += String(data)));
  await vi.waitFor(() => expect(received).toMatch(/\}$/));
  socket.destroy();
  const [head = '', body = ''] = received.split('\r\n\r\n');
  expect(head).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
  const code = status === 400 ? 'BAD_REQUEST' : 'EXPECTATION_FAILED';
  expect(JSON.parse(body)).toEqual({ error, code, layer: 'off-chain', retryable: false });
});

it('serves HTTP/1.0 without Host, and Expect: 100-continue', async () => {
  const port = Number(new URL(await listen()).port);
  for (const request of [
    'GET /livez HTTP/1.0\r\n\r\n',
    `${NONCE}\r\nhost: x\r\nexpect: 100-continue\r\ncontent-length: 0\r\n\r\n`,
  ]) {
    const socket = connect(port, '127.0.0.1');
    socket.write(request);
    let received = '';
    socket.on('data', (data) => (received += String(data)));
    await vi.waitFor(() => expect(received).toMatch(/^HTTP\/1\.[01] 200 /m));
    socket.destroy();
  }
});

it('returns nothing for unreadable bytes behind a request that is still waiting', async () => {
  const session = await openSession(t);
  const { port } = new URL(await listen());
  const body = JSON.stringify({ recipient: session.recipient, amount: 1 });
  const head = [
    'POST /v1/spend/transfer HTTP/1.1',
    'host: localhost',
    `authorization: Bearer ${session.apiKey}`,
    'content-type: application/json',
    'prefer: wait=30',
    `content-length: ${body.length}`,
  ];
  const socket = connect(Number(port), '127.0.0.1');
  let received = '';
  socket.on('data', (data) => (received += String(data)));
  socket.write(`${head.join('\r\n')}\r\n\r\n${body}NONSENSE\r\n\r\n`);
  await once(socket, 'close');
  expect(received).toBe('');
});
