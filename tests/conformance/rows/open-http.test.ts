import { beforeAll, expect } from 'vitest';
import { z } from 'zod';
import type { HttpSession } from '../../support/http/http-owner.ts';
import { row } from '../row.ts';
import { bearer, call, newOwner, world } from '../world.ts';

let session: HttpSession;
beforeAll(async () => {
  session = await (await newOwner(0n)).createSession({ recipients: [] });
});

/** POST /v1/spend/transfer with bytes that need not be JSON. */
async function post(body: string, contentType = 'application/json') {
  const response = await fetch(`${world.urls.api}/v1/spend/transfer`, {
    method: 'POST',
    headers: { ...bearer(session.apiKey), 'content-type': contentType },
    body,
  });
  const { error } = z.object({ error: z.string() }).parse(await response.json());
  return { status: response.status, error };
}

row('open.404', async () => {
  for (const [method, path] of [
    ['GET', '/v1/nothing'],
    ['DELETE', '/v1/wallet'],
    ['GET', '/v1/spend/transfer/x'],
  ] as const) {
    expect(await call(method, path)).toMatchObject({
      status: 404,
      body: { error: 'route not found' },
    });
  }
});

row('open.413', async () => {
  const just = JSON.stringify({ recipient: 'x'.repeat(60_000), amount: 1 });
  expect((await post(just)).status).toBe(400);
  const above = JSON.stringify({ recipient: 'x'.repeat(65_536), amount: 1 });
  expect(await post(above)).toEqual({ status: 413, error: 'body too large' });
});

row('open.415', async () => {
  const error = 'content-type must be application/json';
  for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'application/xml']) {
    expect(await post('{}', type)).toEqual({ status: 415, error });
  }
});

row('open.malformed', async () => {
  for (const body of ['{', 'nothing', '{"amount":1,}', '[]', '1', '"x"', 'null']) {
    expect(await post(body)).toMatchObject({
      status: 400,
      error: expect.stringMatching(/^body must be/),
    });
  }
});

row('open.openapi', async () => {
  const answer = await call('GET', '/openapi.json');
  expect(answer.status).toBe(200);
  const document = z.object({
    openapi: z.string(),
    paths: z.record(z.string(), z.record(z.string(), z.unknown())),
  });
  const { openapi, paths } = document.parse(answer.body);
  expect(openapi).toMatch(/^3\.1\./);
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
    expect(Object.keys(paths[path] ?? {})).toContain(method);
  }
});
