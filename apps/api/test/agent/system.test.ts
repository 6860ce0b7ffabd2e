import { addService } from '@agent-wallet/spend';
import { Keypair } from '@solana/web3.js';
import { sql } from 'slonik';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  createProofCheck,
  createProofService,
} from '@agent-wallet/local-system/paid-services/proof-service.ts';
import { openServiceHost } from '@agent-wallet/local-system/paid-services/service-host.ts';
import {
  callApi,
  createHttpOwner,
  type HttpAnswer,
} from '../../../../tests/support/http/http-owner.ts';
import { createLatch } from '../../../../tests/support/latch.ts';
import {
  createLaneFixture,
  type LaneFixture,
} from '../../../../tests/support/system/lane-fixture.ts';
import { useSystem } from '../../../../tests/support/system/use-system.ts';
import { waitUntil } from '../../../../tests/support/wait-until.ts';

const host = await openServiceHost();
const system = useSystem({ env: { api: { LOOPBACK_SERVICES: host.origin } } });
let fixture: LaneFixture;
beforeAll(async () => {
  fixture = await createLaneFixture(system());
});
afterAll(async () => {
  await host.stop();
  await fixture[Symbol.asyncDispose]();
});

const transfer = (
  apiKey: string,
  body: unknown,
  headers: Record<string, string> = {},
): Promise<HttpAnswer> =>
  callApi(system(), 'POST', '/v1/spend/transfer', {
    body,
    headers: { authorization: `Bearer ${apiKey}`, ...headers },
  });

test('an owner opens a session over HTTP and its agent spends within the limits', async () => {
  const recipient = await fixture.createRecipient();
  const stranger = Keypair.generate().publicKey.toBase58();
  const poor = Keypair.generate().publicKey.toBase58();
  const owner = await createHttpOwner(system(), fixture, 5_000_000n);
  const session = await owner.createSession({
    recipients: [recipient, poor],
    maxPerTx: 1_000_000n,
    dailyCap: 1_500_000n,
  });
  const headers = { cookie: owner.cookie };

  const allowed = await transfer(session.apiKey, { recipient, amount: 1_000_000 });
  expect(allowed).toMatchObject({ status: 200, body: { status: 'confirmed' } });

  const refusals = [
    [{ recipient: stranger, amount: 1 }, /RecipientNotAllowed/],
    [{ recipient, amount: 1_000_001 }, /AmountExceedsMaxPerTx/],
    [{ recipient, amount: 600_000 }, /DailyCapExceeded/],
    [{ recipient: poor, amount: 1 }, /0xbc4|AccountNotInitialized/],
  ] as const;
  for (const [body, detail] of refusals) {
    const refused = await transfer(session.apiKey, body);
    expect(refused).toMatchObject({
      status: 402,
      body: {
        error: 'on-chain submission failed',
        layer: 'on-chain',
        detail: expect.stringMatching(detail),
      },
    });
  }
  const full = await transfer(session.apiKey, { recipient, amount: 600_000 });
  const resetsInSeconds = Number(full.body['resets_at']) - Date.now() / 1_000;
  expect(resetsInSeconds).toBeGreaterThan(23 * 3_600);
  expect(resetsInSeconds).toBeLessThanOrEqual(25 * 3_600);
  const tooMuch = await transfer(session.apiKey, { recipient, amount: 9_000_000 });
  expect(tooMuch).toMatchObject({
    status: 402,
    body: { error: 'INSUFFICIENT_LIQUID', liquid: 4_000_000, deficit: 5_000_000 },
  });

  const detail = await callApi(system(), 'GET', `/v1/session/${session.sessionId}`, { headers });
  expect(detail.body).toMatchObject({
    status: 'live',
    daily_spent: 1_000_000,
    daily_remaining: 500_000,
    allowed_recipients: [recipient, poor],
  });
  const wallet = await callApi(system(), 'GET', '/v1/wallet', { headers });
  expect(wallet.body).toMatchObject({ status: 'active', liquid: 4_000_000, deployed_amount: 0 });

  const audit = await callApi(system(), 'GET', '/v1/audit?decision=deny', { headers });
  expect(JSON.stringify(audit.body)).toMatch(/INSUFFICIENT_LIQUID.*DailyCapExceeded/s);

  const revoke = await callApi(system(), 'POST', `/v1/session/${session.sessionId}/revoke`, {
    headers,
  });
  await fixture.ownerSends(owner.keypair, String(revoke.body['txBase64']));
  const refused = await waitUntil('401 after the revocation', async () => {
    const answer = await transfer(session.apiKey, { recipient, amount: 1 });
    return answer.status === 401 && answer;
  });
  expect(refused.body).toMatchObject({ error: 'session revoked' });
});

test('a key works from its creation on, and spends once the owner has signed', async () => {
  const recipient = await fixture.createRecipient();
  const owner = await createHttpOwner(system(), fixture, 1_000_000n);
  const created = await callApi(system(), 'POST', '/v1/session', {
    headers: { cookie: owner.cookie },
    body: {
      wallet_id: owner.walletId,
      max_per_tx: 100,
      daily_cap: 100,
      expiry: Math.floor(Date.now() / 1_000) + 60,
      allowed_recipients: [recipient],
      allowed_instructions: 1,
    },
  });
  const apiKey = String(created.body['api_key']);
  const position = await callApi(system(), 'GET', '/v1/yield/position', {
    headers: { authorization: `Bearer ${apiKey}` },
  });
  expect(position).toMatchObject({
    status: 200,
    body: { liquid: '1000000', deployed: '0', accrued: '0', total_balance: '1000000' },
  });
  expect(await transfer(apiKey, { recipient, amount: 1 })).toMatchObject({
    status: 402,
    body: { detail: expect.stringContaining('AccountNotInitialized') },
  });
  await fixture.ownerSends(owner.keypair, String(created.body['txBase64']));
  const answer = await waitUntil('the first transfer', async () => {
    const tried = await transfer(apiKey, { recipient, amount: 1 });
    return tried.status === 200 && tried;
  });
  expect(answer.body['status']).toBe('confirmed');
});

test('an api that is told to stop answers what it accepted', async () => {
  const recipient = await fixture.createRecipient();
  const owner = await createHttpOwner(system(), fixture, 1_000_000n);
  const session = await owner.createSession({ recipients: [recipient] });
  system().pause('tx-worker');
  const waiting = transfer(session.apiKey, { recipient, amount: 5 }, { prefer: 'wait=20' });
  await waitUntil('the spend is accepted', () =>
    fixture.db.exists(
      sql.unsafe`select 1 from spend where session_id = ${session.sessionId}::uuid`,
    ),
  );
  const stopped = system().kill('api', 'SIGTERM');
  await waitUntil('the api stops listening', () =>
    fetch(`${system().urls.api}/livez`).then(
      () => false,
      () => true,
    ),
  );
  system().resume('tx-worker');
  expect(await waiting).toMatchObject({ status: 200 });
  await stopped;
  await system().restart('api');
});

test('an api that is told to stop delivers what is being paid for', async () => {
  const payTo = await fixture.createRecipient();
  const owner = await createHttpOwner(system(), fixture, 1_000_000n);
  const session = await owner.createSession({ recipients: [payTo] });
  const offer = { payTo, asset: system().usdcMint, amount: 5n };
  const arrived = createLatch('the request with its proof');
  const mayAnswer = createLatch('the end of the api');
  const sell = async () => {
    arrived.open();
    await mayAnswer.wait(60_000);
    return { status: 200, body: { answer: 42 } };
  };
  const check = createProofCheck({ ...offer, rpcUrl: system().urls.rpc });
  host.serve(createProofService({ ...offer, check, sell }));
  await addService(fixture.db, {
    slug: 'slow',
    name: 'Slow',
    baseUrl: host.origin,
    enabled: true,
    payTo,
    maxPrice: 5n,
    method: null,
    proof: 'x-payment-proof',
  });
  const waiting = callApi(system(), 'POST', '/v1/spend/service', {
    body: { slug: 'slow', max_amount: 5 },
    headers: { authorization: `Bearer ${session.apiKey}` },
  });
  await arrived.wait(60_000);
  const stopped = system().kill('api', 'SIGTERM');
  await waitUntil('the api stops listening', () =>
    fetch(`${system().urls.api}/livez`).then(
      () => false,
      () => true,
    ),
  );
  mayAnswer.open();
  const answer = await waiting;
  expect(answer).toMatchObject({ status: 200, body: { answer: 42 } });
  expect(answer.headers.get('x-tx-signature')).toMatch(/^\w{64,88}$/);
  await stopped;
  await system().restart('api');
});
