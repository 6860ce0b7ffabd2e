import { expect } from 'vitest';
import { z } from 'zod';
import { row } from '../row.ts';
import {
  asOwner,
  bearer,
  call,
  callOther,
  newAddress,
  newSpender,
  refused,
  world,
} from '../world.ts';

const { owner, agent } = await newSpender();
const cookie = { cookie: owner.cookie };

/** POST /v1/spend/transfer with bytes that need not be JSON. */
async function post(body: string, contentType = 'application/json') {
  const response = await fetch(`${world.urls.api}/v1/spend/transfer`, {
    method: 'POST',
    headers: { ...bearer(agent.apiKey), 'content-type': contentType },
    body,
  });
  const { error } = z.object({ error: z.string() }).parse(await response.json());
  return { status: response.status, error };
}

const ENDPOINTS = [
  ['POST', '/auth/siws/nonce'],
  ['POST', '/auth/siws'],
  ['POST', '/wallet'],
  ['GET', '/wallet'],
  ['GET', '/session'],
  ['POST', '/session'],
  ['POST', '/session/x/rotate-key'],
  ['GET', '/audit'],
  ['GET', '/fund/deposit-address'],
  ['GET', '/yield/position'],
  ['POST', '/spend/transfer'],
  ['POST', '/spend/sign-payment'],
  ['POST', '/spend/service'],
  ['POST', '/yield/deposit'],
  ['POST', '/yield/withdraw'],
] as const;
const emptyBody = (method: 'GET' | 'POST') => (method === 'POST' ? { body: {} } : {});

row(['service.paths', 'service.all-over-http', 'versioning.v1'], async () => {
  for (const [method, path] of ENDPOINTS) {
    for (const prefix of ['', '/v2']) {
      const elsewhere = await call(method, prefix + path, emptyBody(method));
      expect(elsewhere).toMatchObject(refused(404, 'route not found'));
    }
    expect((await call(method, `/v1${path}`, emptyBody(method))).status).not.toBe(404);
  }
});

row('service.capabilities', async () => {
  for (const [method, path] of ENDPOINTS.filter(([, one]) => /spend|yield/.test(one))) {
    const { status } = await agent.call(method, `/v1${path}`, method === 'POST' ? {} : undefined);
    // The agent's key is accepted: 200, or 400 for the empty body.
    expect([path, status]).toEqual([path, method === 'POST' ? 400 : 200]);
  }
});

row('endpoints.json', async () => {
  const answers = await Promise.all([
    agent.position(),
    owner.call('GET', '/v1/wallet'),
    call('POST', '/v1/auth/siws/nonce', { body: {} }),
    agent.pay(1),
  ]);
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
  for (const { headers } of answers) {
    expect(headers.get('content-type')).toMatch(/^application\/json/);
  }
});

row(['errors.body', 'open.refusal-fields'], async () => {
  const refusals = await Promise.all([
    call('GET', '/v1/yield/position'),
    call('GET', '/v1/wallet'),
    agent.call('POST', '/v1/spend/transfer', {}),
    agent.pay(900_000_000),
    agent.pay(1, { recipient: newAddress() }),
    call('GET', '/v1/nothing'),
    owner.call('POST', '/v1/wallet', {}),
    callOther('api-cut', 'GET', '/v1/wallet', { headers: cookie }),
  ]);
  expect(refusals.map(({ status, body }) => [status, typeof body['remedy']])).toEqual([
    [401, 'undefined'],
    [401, 'undefined'],
    [400, 'undefined'],
    [402, 'string'],
    [402, 'string'],
    [404, 'undefined'],
    [409, 'string'],
    [503, 'undefined'],
  ]);
  for (const { body, headers } of refusals) {
    expect(body).toMatchObject({
      error: expect.stringMatching(/./),
      code: expect.stringMatching(/^\w+$/),
      layer: expect.stringMatching(/^(off|on)-chain$/),
      retryable: expect.any(Boolean),
    });
    expect(headers.get('content-type')).toMatch(/^application\/json/);
  }
});

row('errors.404.resource', async () => {
  const { owner: other } = await newSpender(0n);
  const answers = await Promise.all([
    other.call('GET', `/v1/session/${agent.sessionId}`),
    owner.call('GET', '/v1/session/nonsense'),
    agent.call('GET', '/v1/spend/nonsense'),
  ]);
  expect(answers.map(({ status, body }) => [status, body['error']])).toEqual([
    [404, 'session not found'],
    [404, 'session not found'],
    [404, 'spend not found'],
  ]);
});

row('errors.500.server-misconfigured', async () => {
  const expected = refused(500, 'server misconfigured', {
    code: 'SERVER_MISCONFIGURED',
    retryable: false,
  });
  const request = { headers: bearer(agent.apiKey), body: { recipient: newAddress(), amount: 1 } };
  const answers = await Promise.all([
    callOther('api-misconfigured', 'POST', '/v1/spend/transfer', request),
    callOther('api-misconfigured', 'GET', '/v1/wallet', { headers: cookie }),
    callOther('api-misconfigured', 'POST', '/v1/auth/siws/nonce', { body: {} }),
  ]);
  for (const answer of answers) expect(answer).toMatchObject(expected);
  expect((await callOther('api-misconfigured', 'GET', '/readyz')).status).toBe(503);
});

row('errors.503.rpc-unavailable', async () => {
  const request = { headers: bearer(agent.apiKey), body: { recipient: newAddress(), amount: 1 } };
  const answers = await Promise.all([
    callOther('api-cut', 'POST', '/v1/spend/transfer', request),
    callOther('api-cut', 'GET', '/v1/wallet', { headers: cookie }),
  ]);
  for (const answer of answers) {
    expect(answer).toMatchObject(refused(503, 'rpc unavailable', { retryable: true }));
  }
});

row('open.404', async () => {
  for (const [method, path] of [
    ['GET', '/v1/nothing'],
    ['DELETE', '/v1/nothing'],
    ['GET', '/v1/spend/transfer/x'],
  ] as const) {
    expect(await call(method, path)).toMatchObject(refused(404, 'route not found'));
  }
});

const bodyOf = (length: number) => JSON.stringify({ recipient: 'x'.repeat(length), amount: 1 });

row('open.413', async () => {
  expect((await post(bodyOf(60_000))).status).toBe(400);
  expect(await post(bodyOf(65_536))).toEqual({ status: 413, error: 'body too large' });
});

row('open.415', async () => {
  const error = 'content-type must be application/json';
  for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'application/xml']) {
    expect(await post('{}', type)).toEqual({ status: 415, error });
  }
});

row('open.malformed', async () => {
  const error = expect.stringMatching(/^body must be/);
  for (const body of ['{', 'nothing', '{"amount":1,}', '[]', '1', '"x"', 'null']) {
    expect(await post(body)).toEqual({ status: 400, error });
  }
});

row('open.openapi', async () => {
  const answer = await call('GET', '/openapi.json');
  expect(answer.status).toBe(200);
  const paths = z.record(z.string(), z.record(z.string(), z.unknown()));
  const document = z.object({ openapi: z.string(), paths }).parse(answer.body);
  expect(document.openapi).toMatch(/^3\.1\./);
  for (const [method, path] of [
    ['post', '/v1/auth/siws'],
    ['get', '/v1/wallet'],
    ['post', '/v1/session/{id}/rotate-key'],
    ['get', '/v1/audit'],
    ['post', '/v1/spend/transfer'],
    ['post', '/v1/spend/sign-payment'],
    ['post', '/v1/spend/service'],
    ['post', '/v1/yield/withdraw'],
  ] as const) {
    expect(Object.keys(document.paths[path] ?? {})).toContain(method);
  }
});

row('service.dashboard.other-origin', async () => {
  expect(new URL(world.urls.dashboard).origin).not.toBe(new URL(world.urls.api).origin);
  for (const [url, status, type] of [
    [world.urls.dashboard, 200, /^text\/html/],
    [world.urls.api, 404, /^application\/json/],
  ] as const) {
    const page = await fetch(url);
    expect(page.status).toBe(status);
    expect(page.headers.get('content-type')).toMatch(type);
  }
});

row('service.dashboard.html-404', async () => {
  for (const [method, path] of [
    ['GET', '/v1/wallet'],
    ['GET', '/v1/yield/position'],
    ['POST', '/v1/spend/transfer'],
    ['POST', '/v1/auth/siws/nonce'],
    ['GET', '/v1/anything'],
  ] as const) {
    const answer = await fetch(`${world.urls.dashboard}${path}`, { method });
    expect(answer.status).toBe(404);
    expect(answer.headers.get('content-type')).toMatch(/^text\/html/);
    expect(await answer.text()).toMatch(/<html/);
  }
});

row(['service.devnet-only', 'versioning.test-network'], async () => {
  const { body } = await asOwner(owner, 'GET', '/v1/fund/deposit-address');
  expect(body['cluster']).toBe('devnet');
  expect(agent.apiKey).toMatch(/^svc_dev_/);
  const nonce = await call('POST', '/v1/auth/siws/nonce', { body: {} });
  expect(nonce.body['message']).toContain('\nChain ID: devnet\n');
});
