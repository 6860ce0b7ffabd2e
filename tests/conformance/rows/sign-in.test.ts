import { Keypair, PublicKey } from '@solana/web3.js';
import { expect } from 'vitest';
import { row } from '../row.ts';
import { requestNonce, cookieOf, exchange, sign, textFor } from '../sign-in.ts';
import { asOwner, bearer, call, callOther, newOwner, refused, world } from '../world.ts';

const owner = await newOwner(0n);
const agent = await owner.openAgent([]);
const nonce = (options = {}) => call('POST', '/v1/auth/siws/nonce', options);
/** A wallet that never signed in, and a nonce for it. */
const newChallenge = async () => [Keypair.generate(), await requestNonce()] as const;

row(
  [
    'endpoints.siws-nonce',
    'endpoints.siws-nonce.auth',
    'open.siws.nonce-answer',
    'open.siws.nonce-life',
  ],
  async () => {
    const answers = [await nonce({ body: {} }), await nonce()];
    for (const { status, body } of answers) {
      expect([status, Object.keys(body).toSorted()]).toEqual([
        200,
        ['expires_at', 'message', 'nonce'],
      ]);
      expect(body['nonce']).toMatch(/^[0-9a-f]{32}$/);
      const livesSeconds = (Date.parse(String(body['expires_at'])) - Date.now()) / 1_000;
      expect(livesSeconds).toBeGreaterThan(240);
      expect(livesSeconds).toBeLessThanOrEqual(301);
    }
    expect(answers[0]?.body['nonce']).not.toBe(answers[1]?.body['nonce']);
    const [keypair, challenge] = await newChallenge();
    const wrong = await exchange(keypair, challenge, sign('something else', keypair));
    expect(wrong).toMatchObject(refused(401, 'invalid signature'));
    expect(await exchange(keypair, challenge)).toMatchObject(refused(401, 'invalid nonce'));
  },
);

row('auth.owner.nonce', async () => {
  const [keypair, challenge] = await newChallenge();
  expect((await exchange(keypair, challenge)).status).toBe(200);
  expect((await exchange(keypair, challenge)).status).toBe(401);
});

row(['open.siws.message', 'auth.owner.message', 'auth.owner.only-the-key'], async () => {
  const { nonce: value, message } = await requestNonce();
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
      `Nonce: ${value}`,
    ].join('\n'),
  );
  type Forge = (text: string, keypair: Keypair, nonce: string) => string;
  const forgeries: readonly Forge[] = [
    (text, keypair, own) => sign(text.replace(own, '0'.repeat(32)), keypair),
    (text) => sign(text, Keypair.generate()),
    (_text, keypair) => sign('hello', keypair),
  ];
  for (const forge of forgeries) {
    const [keypair, challenge] = await newChallenge();
    const signature = forge(textFor(keypair, challenge), keypair, challenge.nonce);
    const answer = await exchange(keypair, challenge, signature);
    expect(answer).toMatchObject(refused(401, 'invalid signature'));
    expect(answer.headers.get('set-cookie')).toBeNull();
  }
});

row(
  ['endpoints.siws', 'endpoints.siws.auth', 'auth.owner.exchange', 'open.siws.answer'],
  async () => {
    const [keypair, challenge] = await newChallenge();
    const answer = await exchange(keypair, challenge);
    expect(answer.status).toBe(200);
    expect(answer.headers.get('set-cookie')).toMatch(/^svc_session=[^;]+;/);
    expect(answer.body).toEqual({
      pubkey: keypair.publicKey.toBase58(),
      expires_at: expect.stringMatching(/^\d{4}-.*Z$/),
    });
  },
);

row(['auth.owner.cookie-works', 'open.siws.logout'], async () => {
  const cookie = cookieOf(await exchange(owner.keypair, await requestNonce()));
  const read = () => asOwner({ cookie }, 'GET', '/v1/wallet');
  expect(await read()).toMatchObject({ status: 200, body: { vaultPda: owner.vault } });
  expect((await asOwner({ cookie }, 'POST', '/v1/auth/logout')).status).toBe(200);
  expect(await read()).toMatchObject(refused(401, 'invalid jwt'));
});

row('open.siws.ledger', async () => {
  const [keypair, challenge] = await newChallenge();
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
  const { nonce: value } = await requestNonce();
  const signature = Buffer.alloc(64).toString('base64');
  const body = { pubkey: offCurve.toBase58(), signature, nonce: value };
  expect(await call('POST', '/v1/auth/siws', { body })).toMatchObject(refused(400, /^pubkey /));
});

row('open.cookie', async () => {
  const [keypair, challenge] = await newChallenge();
  const attributes = (await exchange(keypair, challenge)).headers.get('set-cookie') ?? '';
  // The page is at localhost and the api at 127.0.0.1: two sites for a browser.
  expect(attributes).toMatch(/; HttpOnly/);
  expect(attributes).toMatch(/; Secure; SameSite=None/);
  const expires = Date.parse(/Expires=([^;]+)/.exec(attributes)?.[1] ?? '');
  expect(Math.round((expires - Date.now()) / 3_600_000)).toBe(12);

  const fresh = await requestNonce();
  const here = world.urls.api.replace('127.0.0.1', 'localhost');
  const answer = await fetch(`${here}/v1/auth/siws`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      pubkey: keypair.publicKey.toBase58(),
      nonce: fresh.nonce,
      signature: sign(textFor(keypair, fresh), keypair),
    }),
  });
  const sameSite = answer.headers.get('set-cookie') ?? '';
  expect(sameSite).toMatch(/; HttpOnly; SameSite=Lax/);
  expect(sameSite).not.toMatch(/Secure/);
});

row('open.origin', async () => {
  const path = `/v1/session/${agent.sessionId}/revoke`;
  const post = (headers: Record<string, string>) =>
    call('POST', path, { headers: { cookie: owner.cookie, ...headers } });
  expect((await post({})).status).toBe(200);
  expect((await post({ origin: world.urls.dashboard })).status).toBe(200);
  for (const origin of ['https://evil.example', 'null', `${world.urls.dashboard}.evil.example`]) {
    expect(await post({ origin })).toMatchObject(refused(403, 'origin not allowed'));
  }
});

const preflight = (origin: string) =>
  call('OPTIONS', '/v1/session', { headers: { origin, 'access-control-request-method': 'POST' } });

row('open.cors', async () => {
  const { dashboard } = world.urls;
  const { status, headers } = await preflight(dashboard);
  expect(status).toBe(204);
  expect(Object.fromEntries(headers)).toMatchObject({
    'access-control-allow-origin': dashboard,
    'access-control-allow-credentials': 'true',
    'access-control-allow-headers': 'content-type, idempotency-key, prefer',
    vary: 'Origin',
  });
  const foreign = await preflight('https://evil.example');
  expect(foreign.headers.get('access-control-allow-origin')).toBeNull();
  const agents = await agent.call('GET', '/v1/yield/position', undefined, { origin: dashboard });
  expect([agents.status, agents.headers.get('access-control-allow-origin')]).toEqual([200, null]);
});

row(['open.invalid-jwt', 'open.missing-cookie', 'auth.agent.audit-invalid-jwt'], async () => {
  const refusals: readonly [Record<string, string>, string][] = [
    [bearer(agent.apiKey), 'invalid jwt'],
    [{ cookie: 'svc_session=nonsense' }, 'invalid jwt'],
    [{ cookie: `${owner.cookie.slice(0, -4)}AAAA` }, 'invalid jwt'],
    [{}, 'missing session cookie'],
  ];
  for (const path of ['/v1/wallet', '/v1/audit']) {
    for (const [headers, error] of refusals) {
      expect(await call('GET', path, { headers })).toMatchObject(refused(401, error));
    }
  }
});

row('open.429.address', async () => {
  const answers = [];
  for (let i = 0; i < 4; i += 1) {
    answers.push(await callOther('api-strict', 'POST', '/v1/auth/siws/nonce', { body: {} }));
  }
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 429]);
  expect(answers[3]?.body).toMatchObject({ error: 'rate limited', retryable: true });
  expect(Number(answers[3]?.headers.get('retry-after'))).toBeGreaterThan(0);
});
