import { Keypair, Transaction } from '@solana/web3.js';
import { beforeAll, expect } from 'vitest';
import { type HttpOwner, type HttpSession, signIn } from '../../support/http/http-owner.ts';
import { countHistory, readAccount, readTransaction } from '../chain-history.ts';
import { row } from '../row.ts';
import { askNonce, exchange } from '../sign-in.ts';
import {
  asOwner,
  auditOf,
  bearer,
  call,
  createUnsigned,
  newOwner,
  newRecipient,
  readPosition,
  transfer,
  world,
} from '../world.ts';

const BASE58 = /^[1-9A-HJ-NP-Za-km-z]{32,44}$/;
const BASE64 = /^[A-Za-z0-9+/]+=*$/;
const UUID = /^[0-9a-f-]{36}$/;

let owner: HttpOwner;
let session: HttpSession;
let recipient: string;
beforeAll(async () => {
  [owner, recipient] = await Promise.all([newOwner(3_000_000n), newRecipient()]);
  session = await owner.createSession({ recipients: [recipient], maxPerTx: 1_000_000n });
});

/** Neither nobody nor an agent gets in; the owner does. */
async function expectForCookie(method: 'GET' | 'POST', path: string, body?: object): Promise<void> {
  const sent = body === undefined ? {} : { body };
  const nobody = await call(method, path, sent);
  const agent = await call(method, path, { ...sent, headers: bearer(session.apiKey) });
  const itsOwner = await asOwner(owner, method, path, body);
  expect([nobody.status, agent.status]).toEqual([401, 401]);
  expect(itsOwner.status).not.toBe(401);
}

row('endpoints.json', async () => {
  const answers = await Promise.all([
    readPosition(session.apiKey),
    asOwner(owner, 'GET', '/v1/wallet'),
    call('POST', '/v1/auth/siws/nonce', { body: {} }),
    transfer(session.apiKey, { recipient, amount: 1 }),
  ]);
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
  for (const { headers } of answers) {
    expect(headers.get('content-type')).toMatch(/^application\/json/);
  }
});

row('endpoints.siws-nonce', async () => {
  const [one, two] = [
    await call('POST', '/v1/auth/siws/nonce', { body: {} }),
    await call('POST', '/v1/auth/siws/nonce', { body: {} }),
  ];
  expect(one).toMatchObject({ status: 200, body: { nonce: expect.stringMatching(/./) } });
  expect(one.body['nonce']).not.toBe(two.body['nonce']);
});

row('endpoints.siws-nonce.auth', async () => {
  expect((await call('POST', '/v1/auth/siws/nonce', { body: {} })).status).toBe(200);
});

const signInAnew = async () => exchange(Keypair.generate(), await askNonce());

row('endpoints.siws', async () => {
  const answer = await signInAnew();
  expect(answer.status).toBe(200);
  expect(answer.headers.get('set-cookie')).toMatch(/^svc_session=[^;]+;/);
});

row('endpoints.siws.auth', async () => {
  expect((await signInAnew()).status).toBe(200);
});

row('endpoints.wallet-create', async () => {
  const cookie = await signIn(world, Keypair.generate());
  const answer = await asOwner({ cookie }, 'POST', '/v1/wallet', { max_deployed_fraction_bp: 10 });
  expect(answer).toMatchObject({
    status: 200,
    body: {
      txBase64: expect.stringMatching(BASE64),
      vaultPda: expect.stringMatching(BASE58),
      vaultUsdcAta: expect.stringMatching(BASE58),
    },
  });
});

row('endpoints.wallet-create.auth', () => expectForCookie('POST', '/v1/wallet', {}));

row('endpoints.wallet-read', async () => {
  const answer = await asOwner(owner, 'GET', '/v1/wallet');
  expect(answer).toMatchObject({
    status: 200,
    body: { vaultPda: owner.vault, vaultUsdcAta: owner.vaultUsdcAta, deployed_amount: 0 },
  });
});

row('endpoints.wallet-read.auth', () => expectForCookie('GET', '/v1/wallet'));

row('endpoints.session-create', async () => {
  const answer = await createUnsigned(owner, { allowed_recipients: [recipient] });
  expect(answer).toMatchObject({
    status: 200,
    body: {
      session_id: expect.stringMatching(UUID),
      session_pda: expect.stringMatching(BASE58),
      api_key: expect.stringMatching(/^svc_dev_/),
      txBase64: expect.stringMatching(BASE64),
    },
  });
});

row('endpoints.session-create.auth', () => expectForCookie('POST', '/v1/session', {}));

row('endpoints.rotate-key', async () => {
  const one = await owner.createSession({ recipients: [] });
  const answer = await asOwner(owner, 'POST', `/v1/session/${one.sessionId}/rotate-key`);
  expect(answer.status).toBe(200);
  expect((await readPosition(String(answer.body['api_key']))).status).toBe(200);
  expect((await readPosition(one.apiKey)).status).toBe(401);
});

row('endpoints.rotate-key.auth', async () => {
  const one = await owner.createSession({ recipients: [] });
  await expectForCookie('POST', `/v1/session/${one.sessionId}/rotate-key`);
});

row('endpoints.audit', async () => {
  for (const amount of [21, 22, 23]) await transfer(session.apiKey, { recipient, amount });
  const first = await asOwner(owner, 'GET', '/v1/audit?limit=2');
  expect(first).toMatchObject({
    status: 200,
    body: { items: [{ amount: '23' }, { amount: '22' }], next_cursor: expect.any(String) },
  });
  const cursor = String(first.body['next_cursor']);
  expect(await auditOf(owner, `limit=1&cursor=${cursor}`)).toMatchObject([{ amount: '21' }]);
});

row('endpoints.audit.filter', async () => {
  await transfer(session.apiKey, { recipient, amount: 31 });
  await transfer(session.apiKey, { recipient, amount: 1_000_031 });
  const [allowed, denied] = await Promise.all([
    auditOf(owner, 'decision=allow'),
    auditOf(owner, 'decision=deny'),
  ]);
  expect(allowed[0]).toMatchObject({ amount: '31' });
  expect(denied[0]).toMatchObject({ amount: '1000031' });
  expect(new Set(allowed.map(({ decision }) => decision))).toEqual(new Set(['allow']));
  expect(new Set(denied.map(({ decision }) => decision))).toEqual(new Set(['deny']));
});

row('endpoints.audit.auth', () => expectForCookie('GET', '/v1/audit'));

row('endpoints.deposit-address', async () => {
  const answer = await asOwner(owner, 'GET', '/v1/fund/deposit-address');
  expect(answer).toMatchObject({ status: 200, body: { address: owner.vaultUsdcAta } });
});

row('endpoints.deposit-address.auth', () => expectForCookie('GET', '/v1/fund/deposit-address'));

row('endpoints.unsigned', async () => {
  const cookie = await signIn(world, Keypair.generate());
  const answers = [
    await asOwner({ cookie }, 'POST', '/v1/wallet', {}),
    await createUnsigned(owner),
    await asOwner(owner, 'POST', `/v1/session/${session.sessionId}/revoke`),
  ];
  for (const { body } of answers) {
    const transaction = Transaction.from(Buffer.from(String(body['txBase64']), 'base64'));
    expect(transaction.signatures.map(({ signature }) => signature)).toEqual([null]);
  }
  // Asked for and not signed: nothing has happened.
  expect(await readAccount('Session', session.sessionPda)).not.toBeNull();
});

row('endpoints.position', async () => {
  const { status, body } = await readPosition(session.apiKey);
  expect(status).toBe(200);
  expect(Object.keys(body).toSorted()).toEqual(['accrued', 'deployed', 'liquid', 'total_balance']);
});

const look = async () => [await auditOf(owner), await countHistory(owner.vaultUsdcAta)];

row('endpoints.position.no-effects', async () => {
  const before = await look();
  const [one, two] = [await readPosition(session.apiKey), await readPosition(session.apiKey)];
  expect(one.body).toEqual(two.body);
  expect(await look()).toEqual(before);
});

row('endpoints.position.first-call', async () => {
  const { body } = await createUnsigned(owner);
  const apiKey = String(body['api_key']);
  expect((await readPosition(apiKey)).status).toBe(200);
  expect((await readPosition(`${apiKey}x`)).status).toBe(401);
});

row('endpoints.transfer', async () => {
  const { status, body } = await transfer(session.apiKey, { recipient, amount: 41 });
  expect([status, body['status']]).toEqual([200, 'confirmed']);
  const { events } = await readTransaction(String(body['tx_signature']));
  expect(events).toMatchObject([{ data: { recipient, amount: 41n } }]);
});

row('endpoints.agents.auth', async () => {
  const asked = [
    ['GET', '/v1/yield/position'],
    ['POST', '/v1/spend/transfer'],
  ] as const;
  for (const [method, path] of asked) {
    const body = method === 'POST' ? { recipient, amount: 1 } : undefined;
    const answer = await asOwner(owner, method, path, body);
    expect(answer).toMatchObject({ status: 401, body: { error: 'missing bearer token' } });
  }
});
