import { createLogger } from '@agent-wallet/process';
import type { SettleResponse } from '@x402/core/types';
import { describe, expect, test } from 'vitest';
import { createMetrics } from '../metrics.ts';
import { createServer, type ServerOptions } from './create-server.ts';

const NETWORK = 'solana:EtWTRABZaYq6iMfeYKouRu166VU2xqa1';
const KEY = 'key-of-a-service-that-may-call-it';
const requirements = {
  scheme: 'exact',
  network: NETWORK,
  amount: '1000',
  asset: 'mint',
  payTo: 'payee',
  maxTimeoutSeconds: 60,
  extra: { feePayer: 'payer' },
};
const request = {
  x402Version: 2,
  paymentPayload: { x402Version: 2, accepted: requirements, payload: { transaction: 'AAAA' } },
  paymentRequirements: requirements,
};
const settled: SettleResponse = { success: true, transaction: 's', network: NETWORK, payer: 'p' };
const stopped = () => Promise.reject(new Error('must not be called'));

async function openServer(
  facilitator: Partial<ServerOptions['facilitator']> = {},
  options: Partial<ServerOptions> = {},
) {
  const lines: string[] = [];
  const metrics = createMetrics();
  const app = await createServer({
    facilitator: {
      supported: () => ({ kinds: [], extensions: [], signers: {} }),
      verify: stopped,
      settle: stopped,
      ...facilitator,
    },
    callerKeys: undefined,
    ratePerSecond: 1_000,
    concurrentSettles: 2,
    bodyLimitBytes: 4_096,
    requestTimeoutMs: 5_000,
    trustedProxies: 0,
    log: createLogger({ name: 'test', level: 'info' }, { write: (line) => void lines.push(line) }),
    metrics,
    ...options,
  });
  const post = (url: string, payload: object, headers: Record<string, string> = {}) =>
    app.inject({ method: 'POST', url, payload, headers });
  return { app, post, metrics, lines };
}

describe('a request', () => {
  test('to verify gets the verdict, which a metric counts without its details', async () => {
    const { post, metrics } = await openServer({
      verify: () =>
        Promise.resolve({ isValid: false, invalidReason: 'too_high: see <b>', payer: '' }),
    });
    const reply = await post('/verify', request);
    expect(reply.statusCode).toBe(200);
    expect(reply.json()).toMatchObject({ isValid: false, invalidReason: 'too_high: see <b>' });
    const text = await metrics.registry.metrics();
    expect(text).toContain('refusals_total{reason="too_high"} 1');
    expect(text).toContain('requests_total{route="/verify",outcome="invalid"} 1');
  });

  test('to settle is logged with what was paid', async () => {
    const { post, lines } = await openServer({ settle: () => Promise.resolve(settled) });
    expect((await post('/settle', request)).json()).toEqual(settled);
    expect(JSON.parse(lines.at(-1) ?? '')).toMatchObject({ success: true, amount: '1000' });
  });

  test.each<[string, object, string]>([
    ['without a body', {}, 'x402Version must be 2'],
    ['of version 1', { ...request, x402Version: 1 }, 'version 1 is not supported'],
    ['without a payload', { ...request, paymentPayload: undefined }, 'paymentPayload is missing'],
    [
      'without a transaction',
      { ...request, paymentPayload: { ...request.paymentPayload, payload: {} } },
      'paymentPayload.payload.transaction is missing',
    ],
    ...['0', '-1', '1.5', '', '1e3', '9'.repeat(21)].map((amount): [string, object, string] => [
      `for the amount '${amount}'`,
      { ...request, paymentRequirements: { ...requirements, amount } },
      'paymentRequirements.amount must be a whole number of base units, as a string',
    ]),
    [
      'on no network',
      { ...request, paymentRequirements: { ...requirements, network: 'devnet' } },
      'paymentRequirements.network must be a CAIP-2 id',
    ],
  ])('%s is refused by a text that names the field', async (_case, body, error) => {
    const { post } = await openServer();
    const reply = await post('/settle', body);
    expect(reply.statusCode).toBe(400);
    expect(reply.json<{ error: string }>().error).toContain(error);
  });

  test.each<[string, number, string, object]>([
    ['no JSON', 400, 'body must be a JSON object', { payload: '{', headers: json() }],
    ['too large', 413, 'body is too large', { payload: ' '.repeat(5_000), headers: json() }],
    ['another type', 415, 'content-type', { payload: 'a', headers: { 'content-type': 'a/b' } }],
  ])('whose body is %s is refused with %d', async (_case, status, error, sent) => {
    const { app } = await openServer();
    const reply = await app.inject({ method: 'POST', url: '/verify', ...sent });
    expect(reply.statusCode).toBe(status);
    expect(reply.json<{ error: string }>().error).toContain(error);
  });

  test('to another route lists those that exist', async () => {
    const { app } = await openServer();
    const reply = await app.inject({ method: 'GET', url: '/verify' });
    expect(reply.statusCode).toBe(404);
    expect(reply.json<{ error: string }>().error).toContain('POST /settle');
  });

  test('that fails inside says nothing about why, and the log does', async () => {
    const { post, lines } = await openServer({
      settle: () => Promise.reject(new Error('https://rpc.example.com/secret')),
    });
    const reply = await post('/settle', request);
    expect(reply.statusCode).toBe(500);
    expect(reply.body).not.toContain('secret');
    expect(lines.join('')).toContain('request failed');
  });
});

function json(): Record<string, string> {
  return { 'content-type': 'application/json' };
}

describe('a caller', () => {
  test('without a key of the list is refused, except for what is supported', async () => {
    const { app, post } = await openServer(
      { settle: () => Promise.resolve(settled) },
      { callerKeys: ['another key', KEY] },
    );
    for (const headers of [{}, { authorization: 'Bearer no' }, { authorization: KEY }]) {
      expect((await post('/settle', request, headers)).statusCode).toBe(401);
    }
    const reply = await post('/settle', request, { authorization: `Bearer ${KEY}` });
    expect(reply.statusCode).toBe(200);
    expect((await app.inject('/supported')).statusCode).toBe(200);
  });

  test('with too many requests is told when to come back, and others are not affected', async () => {
    const { app } = await openServer({}, { ratePerSecond: 2 });
    const from = (remoteAddress: string) => app.inject({ url: '/supported', remoteAddress });
    const replies = await Promise.all([1, 2, 3].map(() => from('192.0.2.1')));
    const taken = replies.filter(({ statusCode }) => statusCode === 200);
    expect(taken).toHaveLength(2);
    const refused = replies.find(({ statusCode }) => statusCode === 429);
    expect(refused?.headers['retry-after']).toBe('1');
    expect(refused?.json<{ error: string }>().error).toContain('at most 2 requests per second');
    expect((await from('192.0.2.2')).statusCode).toBe(200);
  });
});

test('one settlement too many is refused before it starts, and the next one is not', async () => {
  const gate = Promise.withResolvers<SettleResponse>();
  let started = 0;
  const settle = () => {
    started += 1;
    return gate.promise;
  };
  const { post } = await openServer({ settle });
  // `then` starts the request.
  const first = [1, 2].map(() => post('/settle', request).then((reply) => reply));
  const third = await post('/settle', request);
  expect(third.statusCode).toBe(503);
  expect(third.headers['retry-after']).toBe('1');
  expect(started).toBe(2);
  gate.resolve(settled);
  for (const reply of await Promise.all(first)) expect(reply.statusCode).toBe(200);
  expect((await post('/settle', request)).statusCode).toBe(200);
});
