import { Keypair, PublicKey } from '@solana/web3.js';
import { beforeAll, expect } from 'vitest';
import type { HttpOwner, HttpSession } from '../../support/http/http-owner.ts';
import { row } from '../row.ts';
import { askNonce, cookieOf, exchange, sign, textFor } from '../sign-in.ts';
import { asOwner, bearer, call, callOther, newOwner, world } from '../world.ts';

let owner: HttpOwner;
let session: HttpSession;
beforeAll(async () => {
  owner = await newOwner(0n);
  session = await owner.createSession({ recipients: [] });
});

row('open.siws.message', async () => {
  const { nonce, message } = await askNonce();
  expect(message).toBe(
    [
      `${new URL(world.urls.dashboard).host} wants you to sign in with your Solana account:`,
      '{pubkey}',
      '',
      'Sign in to Agent Spending Wallet. This does not send a transaction and costs no fee.',
      '',
      `URI: ${world.urls.dashboard}`,
      'Version: 1',
      'Chain ID: devnet',
      `Nonce: ${nonce}`,
    ].join('\n'),
  );
});

row('open.siws.nonce-answer', async () => {
  for (const options of [{ body: {} }, {}]) {
    const { status, body } = await call('POST', '/v1/auth/siws/nonce', options);
    expect([status, Object.keys(body).toSorted()]).toEqual([
      200,
      ['expires_at', 'message', 'nonce'],
    ]);
  }
});

row('open.siws.nonce-life', async () => {
  const { body } = await call('POST', '/v1/auth/siws/nonce', { body: {} });
  expect(body['nonce']).toMatch(/^[0-9a-f]{32}$/);
  const livesSeconds = (Date.parse(String(body['expires_at'])) - Date.now()) / 1_000;
  expect(livesSeconds).toBeGreaterThan(240);
  expect(livesSeconds).toBeLessThanOrEqual(301);
  const [keypair, challenge] = [Keypair.generate(), await askNonce()];
  const wrong = await exchange(keypair, challenge, sign('something else', keypair));
  const right = await exchange(keypair, challenge);
  expect([wrong.body['error'], right.body['error']]).toEqual([
    'invalid signature',
    'invalid nonce',
  ]);
});

row('open.siws.answer', async () => {
  const keypair = Keypair.generate();
  const { body } = await exchange(keypair, await askNonce());
  expect(body).toEqual({
    pubkey: keypair.publicKey.toBase58(),
    expires_at: expect.stringMatching(/^\d{4}-.*Z$/),
  });
});

row('open.siws.logout', async () => {
  const cookie = cookieOf(await exchange(owner.keypair, await askNonce()));
  expect((await asOwner({ cookie }, 'GET', '/v1/wallet')).status).toBe(200);
  expect((await asOwner({ cookie }, 'POST', '/v1/auth/logout')).status).toBe(200);
  const after = await asOwner({ cookie }, 'GET', '/v1/wallet');
  expect(after).toMatchObject({ status: 401, body: { error: 'invalid jwt' } });
});

row('open.siws.ledger', async () => {
  const [keypair, challenge] = [Keypair.generate(), await askNonce()];
  const text = Buffer.from(textFor(keypair, challenge));
  const length = Buffer.alloc(2);
  length.writeUInt16LE(text.length);
  const envelope = Buffer.concat([
    Buffer.from([0xff]),
    Buffer.from('solana offchain'),
    Buffer.from([0]),
    Buffer.alloc(32),
    Buffer.from([0, 1]),
    keypair.publicKey.toBytes(),
    length,
    text,
  ]);
  expect((await exchange(keypair, challenge, sign(envelope, keypair))).status).toBe(200);
});

row('open.sign-in-curve', async () => {
  const programId = new PublicKey(world.programId);
  const [offCurve] = PublicKey.findProgramAddressSync([Buffer.from('any')], programId);
  const { nonce } = await askNonce();
  const signature = Buffer.alloc(64).toString('base64');
  const answer = await call('POST', '/v1/auth/siws', {
    body: { pubkey: offCurve.toBase58(), signature, nonce },
  });
  expect(answer).toMatchObject({ status: 400, body: { error: expect.stringMatching(/^pubkey /) } });
});

row('open.cookie', async () => {
  const [keypair, challenge] = [Keypair.generate(), await askNonce()];
  const attributes = (await exchange(keypair, challenge)).headers.get('set-cookie') ?? '';
  // The page is at localhost and the api at 127.0.0.1: two sites for a browser.
  expect(attributes).toMatch(/; HttpOnly/);
  expect(attributes).toMatch(/; Secure; SameSite=None/);
  const expires = Date.parse(/Expires=([^;]+)/.exec(attributes)?.[1] ?? '');
  expect(Math.round((expires - Date.now()) / 3_600_000)).toBe(12);

  const { nonce, message } = await askNonce();
  const here = world.urls.api.replace('127.0.0.1', 'localhost');
  const answer = await fetch(`${here}/v1/auth/siws`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      pubkey: keypair.publicKey.toBase58(),
      nonce,
      signature: sign(textFor(keypair, { nonce, message }), keypair),
    }),
  });
  const sameSite = answer.headers.get('set-cookie') ?? '';
  expect(sameSite).toMatch(/; HttpOnly; SameSite=Lax/);
  expect(sameSite).not.toMatch(/Secure/);
});

row('open.origin', async () => {
  const path = `/v1/session/${session.sessionId}/revoke`;
  const ask = (headers: Record<string, string>) =>
    call('POST', path, { headers: { cookie: owner.cookie, ...headers } });
  expect((await ask({})).status).toBe(200);
  expect((await ask({ origin: world.urls.dashboard })).status).toBe(200);
  for (const origin of ['https://evil.example', 'null', `${world.urls.dashboard}.evil.example`]) {
    expect(await ask({ origin })).toMatchObject({
      status: 403,
      body: { error: 'origin not allowed' },
    });
  }
});

const preflight = (path: string, origin: string) =>
  call('OPTIONS', path, { headers: { origin, 'access-control-request-method': 'POST' } });

row('open.cors', async () => {
  const { dashboard } = world.urls;
  const { status, headers } = await preflight('/v1/session', dashboard);
  expect(status).toBe(204);
  expect(headers.get('access-control-allow-origin')).toBe(dashboard);
  expect(headers.get('access-control-allow-credentials')).toBe('true');
  expect(headers.get('access-control-allow-headers')).toBe('content-type, idempotency-key, prefer');
  expect(headers.get('vary')).toBe('Origin');
  const foreign = await preflight('/v1/session', 'https://evil.example');
  expect(foreign.headers.get('access-control-allow-origin')).toBeNull();
  const agents = await call('GET', '/v1/yield/position', {
    headers: { ...bearer(session.apiKey), origin: dashboard },
  });
  expect([agents.status, agents.headers.get('access-control-allow-origin')]).toEqual([200, null]);
});

row('open.invalid-jwt', async () => {
  const tokens = [
    bearer(session.apiKey),
    { cookie: 'svc_session=nonsense' },
    { cookie: `${owner.cookie.slice(0, -4)}AAAA` },
  ];
  for (const headers of tokens) {
    expect(await call('GET', '/v1/wallet', { headers })).toMatchObject({
      status: 401,
      body: { error: 'invalid jwt' },
    });
  }
});

row('open.missing-cookie', async () => {
  expect(await call('GET', '/v1/wallet')).toMatchObject({
    status: 401,
    body: { error: 'missing session cookie' },
  });
});

row('open.429.address', async () => {
  const asked = [];
  for (let i = 0; i < 4; i += 1) {
    asked.push(await callOther('api-strict', 'POST', '/v1/auth/siws/nonce', { body: {} }));
  }
  expect(asked.map(({ status }) => status)).toEqual([200, 200, 200, 429]);
  expect(asked[3]?.body).toMatchObject({ error: 'rate limited', retryable: true });
  expect(Number(asked[3]?.headers.get('retry-after'))).toBeGreaterThan(0);
});
