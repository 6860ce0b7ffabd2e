import { acceptSpend, spendIdFor } from '@agent-wallet/spend';
import { createDatabase } from '@agent-wallet/db';
import { beforeAll, expect } from 'vitest';
import { type HttpOwner, type HttpSession, signIn } from '../../support/http/http-owner.ts';
import { waitUntil } from '../../support/wait-until.ts';
import { countHistory, readOwner, readTransaction, sendAsItIs } from '../chain-history.ts';
import { row } from '../row.ts';
import {
  asOwner,
  auditOf,
  bearer,
  call,
  chain,
  newFundedKeypair,
  newOwner,
  newRecipient,
  readSession,
  ownerSends,
  transfer,
  world,
} from '../world.ts';

let owner: HttpOwner;
let session: HttpSession;
let recipient: string;
beforeAll(async () => {
  [owner, recipient] = await Promise.all([newOwner(5_000_000n), newRecipient()]);
  session = await owner.createSession({ recipients: [recipient], maxPerTx: 1_000_000n });
});

row('service.paths', async () => {
  const paths = ['/auth/siws/nonce', '/auth/siws', '/wallet', '/session', '/spend/transfer'];
  for (const path of paths) {
    expect((await call('POST', path, { body: {} })).body).toMatchObject({
      error: 'route not found',
    });
    const { body } = await call('POST', `/v1${path}`, { body: {} });
    expect(body['error']).not.toBe('route not found');
  }
});

row('service.dashboard.other-origin', async () => {
  expect(new URL(world.urls.dashboard).origin).not.toBe(new URL(world.urls.api).origin);
  const page = await fetch(world.urls.dashboard);
  expect(page.status).toBe(200);
  expect(page.headers.get('content-type')).toMatch(/^text\/html/);
  const api = await fetch(world.urls.api);
  expect(api.status).toBe(404);
  expect(api.headers.get('content-type')).toMatch(/^application\/json/);
});

row('service.dashboard.html-404', async () => {
  const asked = [
    ['GET', '/v1/wallet'],
    ['GET', '/v1/yield/position'],
    ['POST', '/v1/spend/transfer'],
    ['POST', '/v1/auth/siws/nonce'],
    ['GET', '/v1/anything'],
  ] as const;
  for (const [method, path] of asked) {
    const answer = await fetch(`${world.urls.dashboard}${path}`, { method });
    expect(answer.status).toBe(404);
    expect(answer.headers.get('content-type')).toMatch(/^text\/html/);
    expect(await answer.text()).toMatch(/<html/);
  }
});

row('service.devnet-only', async () => {
  const { body } = await asOwner(owner, 'GET', '/v1/fund/deposit-address');
  expect(body['cluster']).toBe('devnet');
  expect(session.apiKey).toMatch(/^svc_dev_/);
  const nonce = await call('POST', '/v1/auth/siws/nonce', { body: {} });
  expect(nonce.body['message']).toContain('\nChain ID: devnet\n');
});

row('service.owner.key-stays', async () => {
  const keypair = await newFundedKeypair();
  const cookie = await signIn(world, keypair);
  const { body } = await asOwner({ cookie }, 'POST', '/v1/wallet', {});
  const [txBase64, vaultPda] = [String(body['txBase64']), String(body['vaultPda'])];
  await expect(sendAsItIs(txBase64)).rejects.toThrow(/signature/i);
  const stranger = await newFundedKeypair();
  await expect(ownerSends(stranger, txBase64)).rejects.toThrow(/signature|unknown signer/i);
  expect(await readOwner(vaultPda)).toBeNull();
  await ownerSends(keypair, txBase64);
  expect(await readOwner(vaultPda)).toBe(world.programId);
});

row('service.backend.co-signs', async () => {
  const { body } = await transfer(session.apiKey, { recipient, amount: 10 });
  const { signers } = await readTransaction(String(body['tx_signature']));
  const detail = await readSession(owner, session.sessionId);
  expect(signers).toContain(detail['session_pubkey']);
  expect(signers).not.toContain(owner.keypair.publicKey.toBase58());
});

row('service.agent.no-authority', async () => {
  const answers = await Promise.all([
    transfer(session.apiKey, { recipient, amount: 11 }),
    call('GET', '/v1/yield/position', { headers: bearer(session.apiKey) }),
  ]);
  // Neither a key nor a transaction to sign ever comes back to an agent.
  expect(answers.map(({ body }) => Object.keys(body).toSorted())).toEqual([
    ['spend_id', 'status', 'tx_signature'],
    ['accrued', 'deployed', 'liquid', 'total_balance'],
  ]);
  const { signers } = await readTransaction(String(answers[0].body['tx_signature']));
  expect(signers).toHaveLength(2);
  expect(signers).not.toContain(session.apiKey);
});

row('service.layers.both', async () => {
  const before = await countHistory(owner.vault);
  const denied = await transfer(session.apiKey, { recipient, amount: 900_000_000 });
  expect(denied).toMatchObject({ status: 402, body: { layer: 'off-chain' } });
  expect(await countHistory(owner.vault)).toBe(before);
  const [row0] = await auditOf(owner, 'decision=deny&limit=1');
  expect(row0).toMatchObject({ amount: '900000000', tx_signature: null, detail_signature: null });
});

row('service.layers.no-partial', async () => {
  const accounts = [owner.vaultUsdcAta, chain.usdcAccountOf(recipient)];
  const readSpent = async () => (await readSession(owner, session.sessionId))['daily_spent'];
  const before = [await chain.balances(accounts), await readSpent()];
  const denied = await transfer(session.apiKey, { recipient, amount: 1_000_001 });
  expect(denied).toMatchObject({ status: 402, body: { layer: 'on-chain' } });
  expect([await chain.balances(accounts), await readSpent()]).toEqual(before);
});

row('service.layers.backend-compromised', async () => {
  // What a backend would do that skips each of its own rules: accept, and let the workers sign.
  const db = await createDatabase({ url: world.databaseUrls.api, poolSize: 1 });
  const spendId = spendIdFor(session.sessionId, null);
  try {
    await acceptSpend(db, {
      spendId,
      walletId: owner.walletId,
      sessionId: session.sessionId,
      kind: 'transfer',
      amount: 1_000_001n,
      reserved: 1_000_001n,
      recipient,
      url: null,
      idempotencyKey: null,
      requestDigest: null,
      balance: null,
      notAfterMs: 60_000,
    });
  } finally {
    await db.end();
  }
  const spend = await waitUntil(
    'the verdict of the chain',
    async () => {
      const { body } = await call('GET', `/v1/spend/${spendId}`, {
        headers: bearer(session.apiKey),
      });
      return body['status'] !== 'pending' && body;
    },
    { timeoutMs: 30_000 },
  );
  expect(spend).toMatchObject({ status: 'rejected', code: 'AmountExceedsMaxPerTx' });
});

row('service.audit.chain-is-truth', async () => {
  const { body } = await transfer(session.apiKey, { recipient, amount: 4_321 });
  const [newest] = await auditOf(owner, 'decision=allow&limit=1');
  expect(newest).toMatchObject({ tx_signature: body['tx_signature'], amount: '4321' });
  const { succeeded, events } = await readTransaction(String(newest?.['tx_signature']));
  expect(succeeded).toBe(true);
  expect(events).toMatchObject([{ name: 'UsdcTransferred', data: { amount: 4_321n, recipient } }]);
});

row('service.audit.adds-reasons', async () => {
  const before = await countHistory(owner.vault);
  await transfer(session.apiKey, { recipient, amount: 1_000_002 });
  const [newest] = await auditOf(owner, 'limit=1');
  expect(newest).toMatchObject({
    decision: 'deny',
    reason: 'AmountExceedsMaxPerTx',
    amount: '1000002',
  });
  expect(await countHistory(owner.vault)).toBe(before);
});
