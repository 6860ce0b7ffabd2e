import { beforeAll, expect } from 'vitest';
import { type HttpOwner, type HttpSession, signIn } from '../../support/http/http-owner.ts';
import { waitUntil } from '../../support/wait-until.ts';
import { countHistory, readAccount, readOwner, readTransaction } from '../chain-history.ts';
import { row } from '../row.ts';
import {
  asOwner,
  auditOf,
  createUnsigned,
  newFundedKeypair,
  newOwner,
  newRecipient,
  ownerSends,
  readPosition,
  readSession,
  revoke,
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

const statusOf = async ({ sessionId }: HttpSession) =>
  (await readSession(owner, sessionId))['status'];

row('states.session.created', async () => {
  const { status, body } = await createUnsigned(owner);
  expect(status).toBe(200);
  expect(body['txBase64']).toMatch(/^[A-Za-z0-9+/]+=*$/);
  expect(body['api_key']).toMatch(/^svc_dev_/);
  expect(await readAccount('Session', String(body['session_pda']))).toBeNull();
  const { status: state } = await readSession(owner, String(body['session_id']));
  expect(state).toBe('awaiting_owner_signature');
});

row('states.session.live', async () => {
  const { body } = await createUnsigned(owner, { allowed_recipients: [recipient] });
  const apiKey = String(body['api_key']);
  expect((await transfer(apiKey, { recipient, amount: 1 })).status).toBe(402);
  await ownerSends(owner.keypair, String(body['txBase64']));
  expect((await readSession(owner, String(body['session_id'])))['status']).toBe('live');
  expect((await transfer(apiKey, { recipient, amount: 1 })).status).toBe(200);
});

row('states.session.spends', async () => {
  const { status, body } = await transfer(session.apiKey, { recipient, amount: 101 });
  expect(status).toBe(200);
  expect(await readTransaction(String(body['tx_signature']))).toMatchObject({ succeeded: true });
  expect(await auditOf(owner, 'limit=1')).toMatchObject([
    { decision: 'allow', amount: '101', tx_signature: body['tx_signature'] },
  ]);
  expect(await statusOf(session)).toBe('live');
});

row('states.session.denied', async () => {
  const before = await countHistory(session.sessionPda);
  const { status } = await transfer(session.apiKey, { recipient, amount: 102_000_000 });
  expect(status).toBe(402);
  expect(await auditOf(owner, 'limit=1')).toMatchObject([
    { decision: 'deny', amount: '102000000', reason: 'INSUFFICIENT_LIQUID' },
  ]);
  expect(await countHistory(session.sessionPda)).toBe(before);
  expect(await statusOf(session)).toBe('live');
});

row('states.session.violation', async () => {
  const answer = await transfer(session.apiKey, { recipient, amount: 1_000_003 });
  expect(answer).toMatchObject({ status: 402, body: { error: 'on-chain submission failed' } });
  expect(answer.body['detail']).toMatch(/./);
  expect(await statusOf(session)).toBe('live');
  expect((await transfer(session.apiKey, { recipient, amount: 103 })).status).toBe(200);
});

row('states.session.rotated', async () => {
  const one = await owner.createSession({ recipients: [recipient] });
  const rotated = await asOwner(owner, 'POST', `/v1/session/${one.sessionId}/rotate-key`);
  expect(await readPosition(one.apiKey)).toMatchObject({
    status: 401,
    body: { error: 'api key revoked' },
  });
  const apiKey = String(rotated.body['api_key']);
  expect((await transfer(apiKey, { recipient, amount: 104 })).status).toBe(200);
  expect(await statusOf(one)).toBe('live');
});

row('states.session.revoked', async () => {
  const one = await owner.createSession({ recipients: [recipient] });
  await revoke(owner, one.sessionId);
  expect(await readAccount('Session', one.sessionPda)).toBeNull();
  const answer = await waitUntil('401 after the revocation', async () => {
    const seen = await readPosition(one.apiKey);
    return seen.status === 401 && seen;
  });
  expect(answer.body['error']).toBe('session revoked');
  expect(await statusOf(one)).toBe('revoked');
});

row('states.session.expired', async () => {
  const expiry = BigInt(Math.floor(Date.now() / 1_000) + 6);
  const one = await owner.createSession({ recipients: [recipient], expiry });
  const refused = await waitUntil(
    'the session’s expiry on chain',
    async () => {
      const asked = await transfer(one.apiKey, { recipient, amount: 1 });
      return asked.status !== 200 && asked;
    },
    { timeoutMs: 30_000, intervalMs: 250 },
  );
  expect(refused).toMatchObject({ status: 402, body: { code: 'SessionExpired' } });
  await waitUntil('the owner to read it too', async () => (await statusOf(one)) === 'expired');
});

row('states.vault.created', async () => {
  const keypair = await newFundedKeypair();
  const cookie = await signIn(world, keypair);
  const { status, body } = await asOwner({ cookie }, 'POST', '/v1/wallet', {});
  expect(status).toBe(200);
  const [vault, account] = [String(body['vaultPda']), String(body['vaultUsdcAta'])];
  expect([await readOwner(vault), await readOwner(account)]).toEqual([null, null]);
  await ownerSends(keypair, String(body['txBase64']));
  expect(await readAccount('Vault', vault)).toMatchObject({ vault_token_account: account });
  expect(await readOwner(account)).toBe('TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA');
});
