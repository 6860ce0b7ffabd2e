import { randomBytes } from 'node:crypto';
import { SignJWT } from 'jose';
import { sql } from 'slonik';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  DASHBOARD,
  newKeypair,
  openSession,
  signIn,
  startTestApp,
  type TestApp,
  transfer,
} from '../fixtures/test-app.ts';

let t: TestApp;
beforeAll(async () => {
  t = await startTestApp();
});
afterAll(() => t[Symbol.asyncDispose]());

type Nonce = { nonce: string; message: string; expires_at: string };
const getNonce = async (): Promise<Nonce> =>
  (await t.app.inject({ method: 'POST', url: '/v1/auth/siws/nonce', payload: {} })).json<Nonce>();
const postSignIn = (payload: object, headers: Record<string, string> = {}) =>
  t.app.inject({ method: 'POST', url: '/v1/auth/siws', payload, headers });

describe('POST /v1/auth/siws/nonce', () => {
  it('answers a nonce of 32 hex characters with the text to sign', async () => {
    const { nonce, message, expires_at: expiresAt } = await getNonce();
    expect(nonce).toMatch(/^[0-9a-f]{32}$/);
    expect(message).toBe(
      [
        'localhost:3000 wants you to sign in with your Solana account:',
        '{pubkey}',
        '',
        'Sign in to Agent Spending Wallet. This does not send a transaction and costs no fee.',
        '',
        'URI: http://localhost:3000',
        'Version: 1',
        'Chain ID: devnet',
        `Nonce: ${nonce}`,
      ].join('\n'),
    );
    const livesMs = Date.parse(expiresAt) - Date.now();
    expect(livesMs).toBeGreaterThan(290_000);
    expect(livesMs).toBeLessThan(301_000);
  });

  it('takes no body at all', async () => {
    const answer = await t.app.inject({ method: 'POST', url: '/v1/auth/siws/nonce' });
    expect(answer.statusCode).toBe(200);
  });
});

describe('POST /v1/auth/siws', () => {
  it('sets an HttpOnly cookie that works on owner endpoints', async () => {
    const keypair = newKeypair();
    const { nonce, message } = await getNonce();
    const signature = keypair.sign(message.replace('{pubkey}', keypair.pubkey));
    const answer = await postSignIn({ pubkey: keypair.pubkey, signature, nonce });
    expect(answer.statusCode).toBe(200);
    expect(answer.json()).toEqual({ pubkey: keypair.pubkey, expires_at: expect.any(String) });
    const cookie = answer.cookies.find(({ name }) => name === 'svc_session');
    expect(cookie).toMatchObject({ httpOnly: true, path: '/' });
    expect(String(answer.headers['set-cookie'])).toMatch(/SameSite=Lax/);
    const headers = { cookie: `svc_session=${cookie?.value ?? ''}` };
    const read = await t.app.inject({ url: '/v1/wallet', headers });
    expect([read.statusCode, read.json().error]).toEqual([404, 'wallet not found']);
  });

  it('sets a Secure, SameSite=None cookie when page and api are on different hosts', async () => {
    const keypair = newKeypair();
    const { nonce, message } = await getNonce();
    const signature = keypair.sign(message.replace('{pubkey}', keypair.pubkey));
    const headers = { host: 'api.example.com' };
    const answer = await postSignIn({ pubkey: keypair.pubkey, signature, nonce }, headers);
    expect(String(answer.headers['set-cookie'])).toMatch(/Secure; SameSite=None/);
  });

  it('takes a nonce once, right or wrong', async () => {
    const keypair = newKeypair();
    const { nonce, message } = await getNonce();
    const text = message.replace('{pubkey}', keypair.pubkey);
    const right = { pubkey: keypair.pubkey, signature: keypair.sign(text), nonce };
    const wrong = { ...right, signature: keypair.sign('something else') };
    expect((await postSignIn(wrong)).json().error).toBe('invalid signature');
    expect((await postSignIn(right)).json().error).toBe('invalid nonce');
  });

  it('refuses a nonce that is unknown or too old with 401', async () => {
    const keypair = newKeypair();
    const { nonce, message } = await getNonce();
    await t.db.query(sql.unsafe`
      update sign_in_nonce set expires_at = now() - interval '1 second' where nonce = ${nonce}
    `);
    for (const value of [nonce, randomBytes(16).toString('hex')]) {
      const signature = keypair.sign(message.replace('{pubkey}', keypair.pubkey));
      const answer = await postSignIn({ pubkey: keypair.pubkey, signature, nonce: value });
      expect([answer.statusCode, answer.json().error]).toEqual([401, 'invalid nonce']);
    }
  });

  it("refuses another key's signature", async () => {
    const keypair = newKeypair();
    const { nonce, message } = await getNonce();
    const signature = newKeypair().sign(message.replace('{pubkey}', keypair.pubkey));
    const answer = await postSignIn({ pubkey: keypair.pubkey, signature, nonce });
    expect([answer.statusCode, answer.json().error]).toEqual([401, 'invalid signature']);
  });

  it('refuses the constant signatures that lenient verifiers take for keys of small order', async () => {
    // The point of order 4 encoded as 32 zero bytes; R = the same point, S = 0 passes with zip215.
    const smallOrder = '11111111111111111111111111111111';
    for (const r of [Buffer.alloc(32), Buffer.concat([Buffer.from([1]), Buffer.alloc(31)])]) {
      for (let i = 0; i < 8; i += 1) {
        const { nonce } = await getNonce();
        const signature = Buffer.concat([r, Buffer.alloc(32)]).toString('base64');
        const answer = await postSignIn({ pubkey: smallOrder, signature, nonce });
        expect([answer.statusCode, answer.json().error]).toEqual([401, 'invalid signature']);
      }
    }
  });

  it.each([
    [{ pubkey: 'x' }, /^pubkey must be/],
    [{ pubkey: 1 }, /^pubkey must be/],
    [{ signature: 'AAAA' }, /^signature must be/],
    [{ signature: 'not base64' }, /^signature must be/],
    [{ nonce: 'ABC' }, /^nonce must be/],
    [{ nonce: null }, /^nonce must be/],
    // Two coordinates of which no point of the curve has the first.
    [{ pubkey: '8opHzTAnfzRpPEx21XtnrVTX28YQuCpAjcn1PczScKh' }, /^pubkey must be a/],
  ])('refuses %j with 400', async (fields, text) => {
    const keypair = newKeypair();
    const { nonce, message } = await getNonce();
    const signature = keypair.sign(message.replace('{pubkey}', keypair.pubkey));
    const answer = await postSignIn({ pubkey: keypair.pubkey, signature, nonce, ...fields });
    expect(answer.statusCode).toBe(400);
    expect(answer.json().error).toMatch(text);
  });

  it('refuses a page that is not the dashboard with 403', async () => {
    const answer = await postSignIn({}, { origin: 'https://evil.example' });
    expect([answer.statusCode, answer.json().error]).toEqual([403, 'origin not allowed']);
  });
});

describe("the owner's cookie", () => {
  it('is asked for: 401 without, 401 for anything that is not it', async () => {
    const session = await openSession(t);
    const get = (headers: Record<string, string>) => t.app.inject({ url: '/v1/audit', headers });
    const forged = await new SignJWT({})
      .setProtectedHeader({ alg: 'HS256' })
      .setSubject(session.owner.pubkey)
      .setJti('00000000-0000-4000-8000-000000000000')
      .setExpirationTime('1h')
      .sign(Buffer.from('another secret of enough characters.'));
    const cases: [Record<string, string>, string][] = [
      [{}, 'missing session cookie'],
      [{ authorization: `Bearer ${session.apiKey}` }, 'invalid jwt'],
      [{ cookie: 'svc_session=nonsense' }, 'invalid jwt'],
      [{ cookie: 'svc_session=' }, 'invalid jwt'],
      [{ cookie: `svc_session=${forged}` }, 'invalid jwt'],
    ];
    for (const [headers, error] of cases) {
      const answer = await get(headers);
      expect([answer.statusCode, answer.json().error]).toEqual([401, error]);
    }
  });

  it('ends with logout, on the server', async () => {
    const owner = await signIn(t);
    expect((await owner.call('GET', '/v1/session')).statusCode).toBe(200);
    expect((await owner.call('POST', '/v1/auth/logout')).json()).toEqual({ signed_out: true });
    const after = await owner.call('GET', '/v1/session');
    expect([after.statusCode, after.json().error]).toEqual([401, 'invalid jwt']);
  });

  it('runs out after twelve hours', async () => {
    const owner = await signIn(t);
    const startMs = t.clock.nowMs;
    // The database's clock set the end, and this one stands still since the file began.
    t.clock.nowMs = Date.now() + 12 * 3_600_000 + 2_000;
    const answer = await owner.call('GET', '/v1/session');
    t.clock.nowMs = startMs;
    expect(answer.json().error).toBe('invalid jwt');
  });

  it.each([
    [undefined, 200],
    [DASHBOARD, 200],
    ['https://evil.example', 403],
    ['null', 403],
    ['http://localhost:3000.evil.example', 403],
  ])('with Origin %s a state-changing call answers %i', async (origin, status) => {
    const owner = await signIn(t);
    const headers = origin === undefined ? {} : { origin };
    const answer = await owner.call('POST', '/v1/wallet', {}, headers);
    expect(answer.statusCode).toBe(status);
  });
});

const preflight = (url: string, origin: string) =>
  t.app.inject({ method: 'OPTIONS', url, headers: { origin } });

describe('CORS', () => {
  it('lets the dashboard call owner routes with its cookie, and nobody else', async () => {
    const allowed = await preflight('/v1/session', DASHBOARD);
    expect(allowed.statusCode).toBe(204);
    expect(allowed.headers).toMatchObject({
      'access-control-allow-origin': DASHBOARD,
      'access-control-allow-credentials': 'true',
      'access-control-allow-headers': 'content-type, idempotency-key, prefer',
      'access-control-allow-methods': expect.stringContaining('POST'),
      vary: 'Origin',
    });
    const foreign = await preflight('/v1/session', 'https://evil.example');
    expect(foreign.headers).not.toHaveProperty('access-control-allow-origin');
    const agentRoute = await preflight('/v1/spend/transfer', DASHBOARD);
    expect(agentRoute.statusCode).toBe(404);
    expect(agentRoute.headers).not.toHaveProperty('access-control-allow-origin');
  });

  it('names the page also on refusals, so that it can read them', async () => {
    const answer = await t.app.inject({ url: '/v1/audit', headers: { origin: DASHBOARD } });
    expect(answer.statusCode).toBe(401);
    expect(answer.headers['access-control-allow-origin']).toBe(DASHBOARD);
  });
});

describe("an agent's key", () => {
  it.each([
    [undefined, 'missing bearer token'],
    ['', 'missing bearer token'],
    ['Bearer', 'missing bearer token'],
    ['Basic dXNlcjpwYXNz', 'missing bearer token'],
    ['Bearer abc', 'invalid token format'],
    ['Bearer sk_live_1', 'invalid token format'],
    ['Bearer svc_dev_unknown', 'invalid api key'],
    ['Bearer svc_prod_unknown', 'invalid api key'],
  ])('as Authorization: %s answers 401 %s, before the body is looked at', async (value, error) => {
    const headers = value === undefined ? {} : { authorization: value };
    const answer = await t.app.inject({
      method: 'POST',
      url: '/v1/spend/transfer',
      headers: { ...headers, 'content-type': 'text/plain' },
      payload: 'nonsense',
    });
    expect([answer.statusCode, answer.json().error]).toEqual([401, error]);
  });

  it('is refused as rotated before its session is refused as revoked', async () => {
    const s = await openSession(t);
    const rotated = await s.owner.call('POST', `/v1/session/${s.sessionId}/rotate-key`);
    const { api_key: apiKey } = rotated.json<{ api_key: string }>();
    await t.db.query(sql.unsafe`
      update session set status = 'revoked' where session_id = ${s.sessionId}::uuid
    `);
    const body = { recipient: s.recipient, amount: 1 };
    expect((await transfer(t, s.apiKey, body)).json().error).toBe('api key revoked');
    expect((await transfer(t, apiKey, body)).json().error).toBe('session revoked');
  });

  it('is stored only as a keyed hash', async () => {
    const s = await openSession(t);
    const rows = await t.db.any(sql.unsafe`select * from api_key`);
    const text = JSON.stringify(rows, (_, value: unknown) =>
      typeof value === 'bigint' ? value.toString() : value,
    );
    expect(text).not.toContain(s.apiKey);
    expect(s.apiKey).toMatch(/^svc_dev_[A-Za-z0-9_-]{43}$/);
  });
});

describe('rate limits', () => {
  it('answer 429 with Retry-After per key, after 401 and before 400', async () => {
    await using limited = await startTestApp({ ratePerSecond: 1, rateBurst: 2 });
    const s = await openSession({ ...limited });
    const get = () =>
      limited.app.inject({
        url: '/v1/yield/position',
        headers: { authorization: `Bearer ${s.apiKey}` },
      });
    expect((await get()).statusCode).toBe(200);
    expect((await get()).statusCode).toBe(200);
    const third = await transfer(limited, s.apiKey, 'not an object');
    expect([third.statusCode, third.json().error]).toEqual([429, 'rate limited']);
    expect(third.headers['retry-after']).toBe('1');
    limited.clock.nowMs += 1_000;
    expect((await get()).statusCode).toBe(200);
  });

  it('answer 429 per address on sign-in', async () => {
    await using limited = await startTestApp({ signInPerMinute: 3 });
    const ask = (remoteAddress: string) =>
      limited.app.inject({ method: 'POST', url: '/v1/auth/siws/nonce', remoteAddress });
    const statuses = [];
    for (let i = 0; i < 4; i += 1) statuses.push((await ask('192.0.2.1')).statusCode);
    expect(statuses).toEqual([200, 200, 200, 429]);
    expect((await ask('192.0.2.2')).statusCode).toBe(200);
  });
});

it('keeps keys, cookies and signatures out of the log', async () => {
  const s = await openSession(t);
  await transfer(t, s.apiKey, { recipient: s.recipient, amount: 1 }, { prefer: 'wait=0' });
  const lines = t.logLines();
  expect(lines).toContain('spend_id');
  expect(lines).not.toContain(s.apiKey);
  expect(lines).not.toContain(s.owner.cookie.split('=')[1]);
});
