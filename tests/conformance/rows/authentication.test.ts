import { Keypair } from '@solana/web3.js';
import { beforeAll, expect } from 'vitest';
import type { HttpOwner, HttpSession } from '../../support/http/http-owner.ts';
import { readTransaction } from '../chain-history.ts';
import { row } from '../row.ts';
import { askNonce, cookieOf, exchange, sign, textFor } from '../sign-in.ts';
import {
  asOwner,
  bearer,
  call,
  createUnsigned,
  newOwner,
  newRecipient,
  ownerSends,
  readPosition,
  readSession,
  transfer,
  world,
} from '../world.ts';

let owner: HttpOwner;
let session: HttpSession;
let recipient: string;
beforeAll(async () => {
  [owner, recipient] = await Promise.all([newOwner(3_000_000n), newRecipient()]);
  session = await owner.createSession({ recipients: [recipient], maxPerTx: 1_000_000n });
});

row('auth.owner.nonce', async () => {
  const [keypair, challenge] = [Keypair.generate(), await askNonce()];
  expect((await exchange(keypair, challenge)).status).toBe(200);
  expect((await exchange(keypair, challenge)).status).toBe(401);
});

row('auth.owner.message', async () => {
  const [keypair, challenge] = [Keypair.generate(), await askNonce()];
  expect(challenge.message).toContain(challenge.nonce);
  // Signed with another nonce in it, the text opens nothing.
  const other = textFor(keypair, challenge).replace(challenge.nonce, '0'.repeat(32));
  const answer = await exchange(keypair, challenge, sign(other, keypair));
  expect(answer.status).toBe(401);
});

row('auth.owner.exchange', async () => {
  const answer = await exchange(Keypair.generate(), await askNonce());
  expect(answer.status).toBe(200);
  expect(cookieOf(answer)).toMatch(/^svc_session=./);
});

row('auth.owner.cookie-works', async () => {
  const cookie = cookieOf(await exchange(owner.keypair, await askNonce()));
  const answer = await asOwner({ cookie }, 'GET', '/v1/wallet');
  expect(answer).toMatchObject({ status: 200, body: { vaultPda: owner.vault } });
});

row('auth.owner.only-the-key', async () => {
  const [keypair, stranger] = [Keypair.generate(), Keypair.generate()];
  const challenge = await askNonce();
  const text = textFor(keypair, challenge);
  const byAnother = await exchange(keypair, challenge, sign(text, stranger));
  const ofAnother = await exchange(keypair, await askNonce(), sign('hello', keypair));
  for (const answer of [byAnother, ofAnother]) {
    expect(answer).toMatchObject({ status: 401, body: { error: 'invalid signature' } });
    expect(answer.headers.get('set-cookie')).toBeNull();
  }
});

row('auth.owner.signs-transactions', async () => {
  const { body } = await createUnsigned(owner);
  const stranger = Keypair.generate();
  const txBase64 = String(body['txBase64']);
  await expect(ownerSends(stranger, txBase64)).rejects.toThrow(/unknown signer/);
  const signed = await ownerSends(owner.keypair, txBase64);
  const { signers, succeeded } = await readTransaction(signed);
  expect([signers, succeeded]).toEqual([[owner.keypair.publicKey.toBase58()], true]);
});

row('auth.agent.header', async () => {
  expect((await readPosition(session.apiKey)).status).toBe(200);
  const others = [{}, { authorization: session.apiKey }, { 'x-api-key': session.apiKey }];
  for (const headers of others) {
    expect((await call('GET', '/v1/yield/position', { headers })).status).toBe(401);
  }
});

row('auth.agent.prefix', async () => {
  expect(session.apiKey).toMatch(/^svc_dev_/);
  for (const prefix of ['svc_dev_', 'svc_prod_']) {
    expect((await readPosition(`${prefix}x`)).body['error']).toBe('invalid api key');
  }
});

row('auth.agent.other-form', async () => {
  const secret = session.apiKey.slice('svc_dev_'.length);
  for (const token of [secret, `SVC_DEV_${secret}`, `svc_test_${secret}`]) {
    expect(await readPosition(token)).toMatchObject({
      status: 401,
      body: { error: 'invalid token format' },
    });
  }
});

row('auth.agent.bound', async () => {
  const other = await newOwner(777n);
  const [theirs, sister] = [
    await other.createSession({ recipients: [recipient] }),
    await owner.createSession({ recipients: [] }),
  ];
  expect((await readPosition(theirs.apiKey)).body['liquid']).toBe('777');
  const { body } = await transfer(session.apiKey, { recipient, amount: 61 });
  const path = `/v1/spend/${String(body['spend_id'])}`;
  const asked = [session, sister, theirs].map(({ apiKey }) =>
    call('GET', path, { headers: bearer(apiKey) }),
  );
  expect((await Promise.all(asked)).map(({ status }) => status)).toEqual([200, 404, 404]);
  // The sister's own list is empty, whatever this one's holds.
  expect((await transfer(sister.apiKey, { recipient, amount: 1 })).status).toBe(402);
});

row('auth.agent.rotated', async () => {
  const one = await owner.createSession({ recipients: [] });
  expect((await readPosition(one.apiKey)).status).toBe(200);
  await asOwner(owner, 'POST', `/v1/session/${one.sessionId}/rotate-key`);
  expect((await readPosition(one.apiKey)).status).toBe(401);
});

row('auth.agent.no-owner-endpoints', async () => {
  const one = `/v1/session/${session.sessionId}`;
  const asked = [
    ['GET', '/v1/audit'],
    ['GET', '/v1/fund/deposit-address'],
    ['GET', '/v1/wallet'],
    ['POST', '/v1/wallet'],
    ['GET', '/v1/session'],
    ['POST', '/v1/session'],
    ['GET', one],
    ['POST', `${one}/rotate-key`],
    ['POST', `${one}/revoke`],
  ] as const;
  for (const [method, path] of asked) {
    const body = method === 'POST' ? { body: {} } : {};
    const answer = await call(method, path, { headers: bearer(session.apiKey), ...body });
    expect([path, answer.status]).toEqual([path, 401]);
  }
});

row('auth.agent.audit-invalid-jwt', async () => {
  const answer = await call('GET', '/v1/audit', { headers: bearer(session.apiKey) });
  expect(answer.body['error']).toBe('invalid jwt');
});

row('auth.agent.no-own-limits', async () => {
  // From now on something counts, and the window stands still.
  await transfer(session.apiKey, { recipient, amount: 1 });
  const before = await readSession(owner, session.sessionId);
  const wishes = { max_per_tx: 5, daily_cap: 5, allowed_recipients: [], allowed_instructions: 7 };
  const answer = await transfer(session.apiKey, { recipient, amount: 1_000_001, ...wishes });
  expect(answer.body['code']).toBe('AmountExceedsMaxPerTx');
  const path = `/v1/session/${session.sessionId}`;
  const headers = bearer(session.apiKey);
  for (const [method, where] of [
    ['PATCH', path],
    ['PUT', `${path}/recipients`],
    ['POST', '/v1/session'],
  ] as const) {
    const { status } = await call(method, where, { headers, body: wishes });
    expect([401, 404]).toContain(status);
  }
  expect(await readSession(owner, session.sessionId)).toEqual(before);
});

row('auth.agent.no-free-signing', async () => {
  const { body } = await createUnsigned(owner);
  const smuggled = { txBase64: body['txBase64'], instructions: ['memo'], memo: 'hello' };
  const answer = await transfer(session.apiKey, { recipient, amount: 62, ...smuggled });
  const { programs, events } = await readTransaction(String(answer.body['tx_signature']));
  const known = ['ComputeBudget111111111111111111111111111111', world.programId];
  expect(programs.filter((program) => !known.includes(program))).toEqual([]);
  expect(events).toMatchObject([{ name: 'UsdcTransferred', data: { amount: 62n, recipient } }]);
});
