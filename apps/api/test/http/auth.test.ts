import { randomBytes } from 'node:crypto';
import { SignJWT } from 'jose';
import { sql } from 'slonik';
import { describe, expect, it } from 'vitest';
import { agentWith, openSession } from '../fixtures/open-session.ts';
import { newKeypair, signIn } from '../fixtures/signed-in-owner.ts';
import { expectRefused, startTestApp, useTestApp } from '../fixtures/test-app.ts';

const t = await useTestApp();

type Nonce = { nonce: string; message: string; expires_at: string };
const getNonce = async (): Promise<Nonce> =>
  (await t.app.inject({ method: 'POST', url: '/v1/auth/siws/nonce', payload: {} })).json<Nonce>();
const postSignIn = (payload: object, headers: Record<string, string> = {}) =>
  t.app.inject({ method: 'POST', url: '/v1/auth/siws', payload, headers });
/** A fresh keypair and nonce with the right signature. */
async function newSignIn() {
  const keypair = newKeypair();
  const { nonce, message } = await getNonce();
  const text = message.replace('{pubkey}', keypair.pubkey);
  return { keypair, text, body: { pubkey: keypair.pubkey, signature: keypair.sign(text), nonce } };
}

describe('POST /v1/auth/siws/nonce', () => {
  it('returns a nonce of 32 hex characters with the text to sign', async () => {
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

  it('accepts an empty body', async () => {
    const answer = await t.app.inject({ method: 'POST', url: '/v1/auth/siws/nonce' });
    expect(answer.statusCode).toBe(200);
  });

  it.each(['null', '[]', '7', '"text"'])('refuses the body %s with 400', async (payload) => {
    const headers = { 'content-type': 'application/json' };
    const url = '/v1/auth/siws/nonce';
    const answer = await t.app.inject({ method: 'POST', url, headers, payload });
    expectRefused(answer, 400, /^body must be a JSON object/);
  });
});

describe('POST /v1/auth/siws', () => {
  it('sets an HttpOnly cookie that works on owner endpoints', async () => {
    const { body } = await newSignIn();
    const answer = await postSignIn(body);
    expect(answer.statusCode).toBe(200);
    expect(answer.json()).toEqual({ pubkey: body.pubkey, expires_at: expect.any(String) });
    const cookie = answer.cookies.find(({ name }) => name === 'svc_session');
    expect(cookie).toMatchObject({ httpOnly: true, path: '/' });
    expect(String(answer.headers['set-cookie'])).toMatch(/SameSite=Lax/);
    const headers = { cookie: `svc_session=${cookie?.value ?? ''}` };
    expectRefused(await t.app.inject({ url: '/v1/wallet', headers }), 404, 'wallet not found');
  });

  it('accepts a nonce once, right or wrong', async () => {
    const { keypair, body } = await newSignIn();
    const wrong = { ...body, signature: keypair.sign('something else') };
    expectRefused(await postSignIn(wrong), 401, 'invalid signature');
    expectRefused(await postSignIn(body), 401, 'invalid nonce');
  });

  it('refuses a nonce that is unknown or too old with 401', async () => {
    const { body } = await newSignIn();
    await t.db.query(sql.unsafe`
      update sign_in_nonce set expires_at = now() - interval '1 second'
      where nonce = ${body.nonce}
    `);
    for (const nonce of [body.nonce, randomBytes(16).toString('hex')]) {
      expectRefused(await postSignIn({ ...body, nonce }), 401, 'invalid nonce');
    }
  });

  it('deletes nonces an hour after their expiry, and sessions a week after theirs', async () => {
    const { body } = await newSignIn();
    await t.db.query(sql.unsafe`
      insert into owner_session (owner, expires_at)
      values ('old', now() - interval '169 hours'), ('recent', now() - interval '167 hours')
    `);
    await t.db.query(sql.unsafe`
      insert into sign_in_nonce (nonce, expires_at)
      values (${'0'.repeat(32)}, now() - interval '61 minutes'),
        (${'1'.repeat(32)}, now() - interval '59 minutes')
    `);
    expect((await postSignIn(body)).statusCode).toBe(200);
    await newSignIn();
    const kept = await t.db.anyFirst(sql.unsafe`
      select owner from owner_session where owner in ('old', 'recent')
      union all
      select nonce from sign_in_nonce where nonce ~ '^(0+|1+)$'
    `);
    expect(kept).toEqual(['recent', '1'.repeat(32)]);
  });

  it("refuses another key's signature", async () => {
    const { text, body } = await newSignIn();
    const signature = newKeypair().sign(text);
    expectRefused(await postSignIn({ ...body, signature }), 401, 'invalid signature');
  });

  it('refuses the constant signatures that lenient verifiers accept for keys of small order', async () => {
    // The point of order 4 encoded as 32 zero bytes; R = the same point, S = 0 passes with zip215.
    const smallOrder = '11111111111111111111111111111111';
    for (const r of [Buffer.alloc(32), Buffer.concat([Buffer.from([1]), Buffer.alloc(31)])]) {
      for (let i = 0; i < 8; i += 1) {
        const { nonce } = await getNonce();
        const signature = Buffer.concat([r, Buffer.alloc(32)]).toString('base64');
        expectRefused(
          await postSignIn({ pubkey: smallOrder, signature, nonce }),
          401,
          'invalid signature',
        );
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
    const { body } = await newSignIn();
    expectRefused(await postSignIn({ ...body, ...fields }), 400, text);
  });

  it('refuses a page that is not the dashboard with 403', async () => {
    expectRefused(
      await postSignIn({}, { origin: 'https://evil.example' }),
      403,
      'origin not allowed',
    );
  });
});

describe("the owner's cookie", () => {
  it('is required: 401 without it, 401 for any other token', async () => {
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
      expectRefused(await get(headers), 401, error);
    }
  });

  it('ends with logout, on the server', async () => {
    const owner = await signIn(t);
    expect((await owner.call('GET', '/v1/session')).statusCode).toBe(200);
    expect((await owner.call('POST', '/v1/auth/logout')).json()).toEqual({ signed_out: true });
    const after = await owner.call('GET', '/v1/session');
    expectRefused(after, 401, 'invalid jwt');
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
  ])('as Authorization: %s returns 401 %s before the body is parsed', async (value, error) => {
    const headers = value === undefined ? {} : { authorization: value };
    expectRefused(
      await t.app.inject({
        method: 'POST',
        url: '/v1/spend/transfer',
        headers: { ...headers, 'content-type': 'text/plain' },
        payload: 'nonsense',
      }),
      401,
      error,
    );
  });

  it('is refused as rotated before its session is refused as revoked', async () => {
    const s = await openSession(t);
    const rotated = await s.owner.call('POST', `/v1/session/${s.sessionId}/rotate-key`);
    const { api_key: apiKey } = rotated.json<{ api_key: string }>();
    await t.db.query(sql.unsafe`
      update session set status = 'revoked' where session_id = ${s.sessionId}::uuid
    `);
    expectRefused(await s.pay(1), 401, 'api key revoked');
    expectRefused(await agentWith(t, apiKey, s.recipient).pay(1), 401, 'session revoked');
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
    const s = await openSession(limited);
    const get = () => s.call('/v1/yield/position');
    expect((await get()).statusCode).toBe(200);
    expect((await get()).statusCode).toBe(200);
    const third = await s.call('/v1/spend/transfer', 'not an object');
    expectRefused(third, 429, 'rate limited');
    expect(third.headers['retry-after']).toBe('1');
    limited.clock.nowMs += 1_000;
    expect((await get()).statusCode).toBe(200);
  });

  it('answer 429 per address on sign-in', async () => {
    await using limited = await startTestApp({ signInPerMinute: 3 });
    const request = (remoteAddress: string) =>
      limited.app.inject({ method: 'POST', url: '/v1/auth/siws/nonce', remoteAddress });
    const statuses = [];
    for (let i = 0; i < 4; i += 1) statuses.push((await request('192.0.2.1')).statusCode);
    expect(statuses).toEqual([200, 200, 200, 429]);
    expect((await request('192.0.2.2')).statusCode).toBe(200);
  });
});

it('keeps keys, cookies and signatures out of the log', async () => {
  const s = await openSession(t);
  await s.pay(1, { prefer: 'wait=0' });
  const lines = t.logLines();
  expect(lines).toContain('spend_id');
  expect(lines).not.toContain(s.apiKey);
  expect(lines).not.toContain(s.owner.cookie.split('=')[1]);
});
