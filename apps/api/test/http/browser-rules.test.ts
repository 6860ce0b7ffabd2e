/** What keeps other pages away from an owner's cookie: its attributes, Origin, CORS, content type. */

import { SignJWT } from 'jose';
import { sql } from 'slonik';
import { describe, expect, it } from 'vitest';
import { openSession } from '../fixtures/open-session.ts';
import { newKeypair, type Owner, signIn } from '../fixtures/signed-in-owner.ts';
import { DASHBOARD, expectRefused, startTestApp, useTestApp } from '../fixtures/test-app.ts';

const SECRET = 'cookie-secret-of-these-tests-0123456789';
const t = await useTestApp({ cookieSecret: SECRET });

/** The Set-Cookie header of a sign-in at an api of that host, for a dashboard of that origin. */
async function cookieOf(dashboardOrigin: string, host: string): Promise<string> {
  await using app = await startTestApp({ dashboardOrigin });
  const keypair = newKeypair();
  const headers = { host };
  const nonce = await app.app.inject({ method: 'POST', url: '/v1/auth/siws/nonce', headers });
  const { nonce: value, message } = nonce.json<{ nonce: string; message: string }>();
  const signature = keypair.sign(message.replace('{pubkey}', keypair.pubkey));
  const answer = await app.app.inject({
    method: 'POST',
    url: '/v1/auth/siws',
    headers,
    payload: { pubkey: keypair.pubkey, signature, nonce: value },
  });
  return String(answer.headers['set-cookie']);
}

const sign = (owner: Owner, jti: string, aud: string, secret: string): Promise<string> =>
  new SignJWT()
    .setProtectedHeader({ alg: 'HS256' })
    .setIssuer('agent-wallet')
    .setAudience(aud)
    .setSubject(owner.pubkey)
    .setJti(jti)
    .setIssuedAt()
    .setExpirationTime('1h')
    .sign(Buffer.from(secret));

describe("the owner's cookie", () => {
  it.each([
    ['http://localhost:3000', 'localhost:8080', /; HttpOnly; SameSite=Lax$/],
    ['http://127.0.0.1:3000', '127.0.0.1:8080', /; HttpOnly; SameSite=Lax$/],
    ['https://w.example', 'w.example', /; HttpOnly; Secure; SameSite=Lax$/],
    ['https://w.example', 'api.w.example', /; HttpOnly; Secure; SameSite=None$/],
    ['https://w.example', 'localhost:8080', /; HttpOnly; Secure; SameSite=None$/],
    ['http://localhost:3000', 'api.w.example', /; HttpOnly; Secure; SameSite=None$/],
  ])('of a page at %s and an api at %s ends %s', async (origin, host, attributes) => {
    const cookie = await cookieOf(origin, host);
    expect(cookie).toMatch(/^svc_session=[^;]+; Path=\/; Expires=/);
    expect(cookie).toMatch(attributes);
    expect(cookie).not.toMatch(/Domain=/i);
  });

  it('is kept by the browser for twelve hours, and taken back by logout', async () => {
    const cookie = await cookieOf(DASHBOARD, 'localhost:8080');
    const expires = Date.parse(/Expires=([^;]+)/.exec(cookie)?.[1] ?? '');
    expect(Math.abs(expires - Date.now() - 12 * 3_600_000)).toBeLessThan(60_000);
    const owner = await signIn(t);
    const answer = await owner.call('POST', '/v1/auth/logout');
    const cleared = String(answer.headers['set-cookie']);
    expect(cleared).toMatch(/^svc_session=; /);
    expect(Date.parse(/Expires=([^;]+)/.exec(cleared)?.[1] ?? '')).toBe(0);
    expect(cleared).toMatch(/Path=\/.*HttpOnly/);
  });

  it('is valid only with its own owner, server-side id, audience and secret', async () => {
    const owner = await signIn(t);
    const other = await signIn(t);
    const idOf = (pubkey: string) =>
      t.db.oneFirst(sql.unsafe`
        select owner_session_id from owner_session where owner = ${pubkey}
      `);
    const id = String(await idOf(owner.pubkey));
    const unsigned = [{ alg: 'none' }, { sub: owner.pubkey, jti: id, aud: 'owner' }]
      .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
      .join('.');
    const get = async (jwt: string) =>
      (await t.app.inject({ url: '/v1/session', headers: { cookie: `svc_session=${jwt}` } }))
        .statusCode;
    expect(await get(await sign(owner, id, 'owner', SECRET))).toBe(200);
    expect(await get(await sign(other, id, 'owner', SECRET))).toBe(401);
    expect(await get(await sign(owner, id, 'agent', SECRET))).toBe(401);
    expect(await get(await sign(owner, id, 'owner', `${SECRET}x`))).toBe(401);
    expect(await get(`${unsigned}.`)).toBe(401);
  });
});

const NEARLY: readonly string[] = [
  'https://localhost:3000',
  'http://localhost',
  'http://localhost:3001',
  'http://localhost:3000/',
  'HTTP://LOCALHOST:3000',
  'http://127.0.0.1:3000',
  'http://localhost:3000.evil.example',
  'http://evil.example',
  'https://evil.example',
  'null',
  '',
];
const CHANGES: readonly (readonly ['POST' | 'PUT' | 'PATCH', string])[] = [
  ['POST', '/v1/wallet'],
  ['POST', '/v1/auth/logout'],
  ['PUT', '/v1/wallet/policy'],
  ['PATCH', '/v1/session/x'],
  ['PUT', '/v1/session/x/recipients'],
];

describe('a call with the cookie that changes something', () => {
  it.each(CHANGES)('%s %s is refused from every page but the dashboard', async (method, url) => {
    const owner = await signIn(t);
    for (const origin of NEARLY) {
      const answer = await owner.call(method, url, {}, { origin });
      expect([answer.statusCode, answer.json()]).toEqual([
        403,
        {
          error: 'origin not allowed',
          code: 'ORIGIN_NOT_ALLOWED',
          layer: 'off-chain',
          retryable: false,
        },
      ]);
    }
    const still = await owner.call('GET', '/v1/session', undefined, { origin: DASHBOARD });
    expect(still.statusCode).toBe(200);
  });

  it.each([
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'text/plain; application/json',
  ])('is refused as %s, which a page may send without a preflight', async (type) => {
    const owner = await signIn(t);
    for (const [method, url] of CHANGES) {
      expectRefused(
        await t.app.inject({
          method,
          url,
          headers: { cookie: owner.cookie, 'content-type': type },
          payload: '{"max_deployed_fraction_bp":0}',
        }),
        415,
        'content-type must be application/json',
      );
    }
    expect((await owner.call('GET', '/v1/wallet')).statusCode).toBe(404);
  });

  it('is accepted without an Origin and from the dashboard, also as JSON with a charset', async () => {
    const owner = await signIn(t);
    const type = { 'content-type': 'application/json; charset=utf-8' };
    for (const headers of [{}, type, { origin: DASHBOARD }]) {
      expect((await owner.call('POST', '/v1/wallet', {}, headers)).statusCode).toBe(200);
    }
  });

  it('is refused for its missing cookie before its origin', async () => {
    const headers = { origin: 'https://evil.example' };
    expectRefused(
      await t.app.inject({ method: 'POST', url: '/v1/wallet', headers, payload: {} }),
      401,
      'missing session cookie',
    );
  });
});

const EXPOSED =
  'x-tx-signature, x-spend-id, location, retry-after, x-request-id, ratelimit, ratelimit-policy';

const corsOf = (headers: Record<string, unknown>): string[] =>
  Object.keys(headers).filter((name) => name.startsWith('access-control-'));

describe('CORS', () => {
  it.each([
    ['/v1/wallet', 'POST, GET'],
    ['/v1/wallet/policy', 'GET, PUT'],
    ['/v1/wallet/withdraw', 'POST'],
    ['/v1/session/x', 'GET, PATCH'],
    ['/v1/session/x/recipients', 'PUT'],
    ['/v1/audit', 'GET'],
    ['/v1/auth/siws', 'POST'],
  ])('allows the dashboard’s preflight for %s without a cookie, for %s', async (url, methods) => {
    const answer = await t.app.inject({
      method: 'OPTIONS',
      url,
      headers: { origin: DASHBOARD, 'access-control-request-method': 'POST' },
    });
    expect([answer.statusCode, answer.body]).toEqual([204, '']);
    expect(answer.headers).toMatchObject({
      'access-control-allow-origin': DASHBOARD,
      'access-control-allow-credentials': 'true',
      'access-control-allow-methods': methods,
      'access-control-allow-headers': 'content-type, idempotency-key, prefer',
      'access-control-expose-headers': EXPOSED,
      vary: 'Origin',
    });
  });

  it.each(NEARLY)('sends no CORS header to a page at %j', async (origin) => {
    const owner = await signIn(t);
    const preflight = await t.app.inject({
      method: 'OPTIONS',
      url: '/v1/session',
      headers: { origin },
    });
    const read = await owner.call('GET', '/v1/session', undefined, { origin });
    for (const answer of [preflight, read]) {
      expect(corsOf(answer.headers)).toEqual([]);
      expect(answer.headers['vary']).toBe('Origin');
    }
  });

  it('names the dashboard on successes and refusals alike', async () => {
    const owner = await signIn(t);
    for (const [url, status, cookie] of [
      ['/v1/session', 200, owner.cookie],
      ['/v1/wallet', 404, owner.cookie],
      ['/v1/audit?limit=0', 400, owner.cookie],
      ['/v1/audit', 401, ''],
    ] as const) {
      const answer = await t.app.inject({ url, headers: { cookie, origin: DASHBOARD } });
      expect(answer.statusCode).toBe(status);
      expect(answer.headers).toMatchObject({
        'access-control-allow-origin': DASHBOARD,
        'access-control-allow-credentials': 'true',
        'access-control-expose-headers': EXPOSED,
        vary: 'Origin',
      });
    }
  });

  it('is absent from agent routes, health routes and unknown routes', async () => {
    const s = await openSession(t);
    const headers = { origin: DASHBOARD, authorization: `Bearer ${s.apiKey}` };
    for (const url of [
      '/v1/yield/position',
      '/v1/spend/transfer',
      '/v1/services',
      '/livez',
      '/v1/nothing',
    ]) {
      expect(corsOf((await t.app.inject({ url, headers })).headers)).toEqual([]);
      const preflight = await t.app.inject({ method: 'OPTIONS', url, headers });
      const status = url === '/v1/nothing' ? 404 : 405;
      expect([preflight.statusCode, corsOf(preflight.headers)]).toEqual([status, []]);
    }
  });
});

describe('an answer', () => {
  it('is never cacheable, for any caller and any status', async () => {
    const s = await openSession(t);
    const key = { authorization: `Bearer ${s.apiKey}` };
    const answers = await Promise.all([
      s.owner.call('GET', '/v1/wallet'),
      s.owner.call('POST', `/v1/session/${s.sessionId}/rotate-key`),
      s.owner.call('GET', '/v1/audit?limit=0'),
      t.app.inject({ url: '/v1/wallet' }),
      t.app.inject({ url: '/v1/yield/position', headers: key }),
      t.app.inject({ method: 'POST', url: '/v1/auth/siws/nonce' }),
      t.app.inject({ url: '/v1/nothing' }),
    ]);
    for (const { headers } of answers) {
      expect(headers).toMatchObject({
        'cache-control': 'no-store',
        'x-content-type-options': 'nosniff',
      });
    }
  });

  it('of the documentation page forbids framing, and the document is cacheable', async () => {
    const page = await t.app.inject({ url: '/docs' });
    expect(page.headers['content-security-policy']).toContain("frame-ancestors 'none'");
    for (const { headers } of [page, await t.app.inject({ url: '/openapi.json' })]) {
      expect(headers).toMatchObject({
        'cache-control': 'public, max-age=300',
        'x-content-type-options': 'nosniff',
      });
    }
  });
});
