import { addService } from '@agent-wallet/spend';
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
  type HttpOwner,
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

const asOwner = ({ cookie }: HttpOwner, method: 'GET' | 'PUT', path: string, body?: object) =>
  callApi(system(), method, path, { headers: { cookie }, body });

/** An owner with a session that may pay one recipient, and the calls of its agent. */
async function openSpender(usdc: bigint, limits: { maxPerTx?: bigint; dailyCap?: bigint } = {}) {
  const recipient = await fixture.createRecipient();
  const owner = await createHttpOwner(system(), fixture, usdc);
  const session = await owner.createSession({ recipients: [recipient], ...limits });
  const post = (path: string, body: object, headers: Record<string, string> = {}) =>
    callApi(system(), 'POST', path, {
      body,
      headers: { authorization: `Bearer ${session.apiKey}`, ...headers },
    });
  return {
    recipient,
    owner,
    post,
    sessionId: session.sessionId,
    pay: (amount: number, headers: Record<string, string> = {}) =>
      post('/v1/spend/transfer', { recipient, amount }, headers),
    isQueued: (amount: number) =>
      fixture.db.exists(sql.unsafe`
        select 1 from spend
        where session_id = ${session.sessionId}::uuid and status = 'queued' and amount = ${amount}
      `),
  };
}

const untilApiIsSilent = () =>
  waitUntil('the api stops listening', () =>
    fetch(`${system().urls.api}/livez`).then(
      () => false,
      () => true,
    ),
  );

test('an api that is told to stop answers what it accepted', async () => {
  const agent = await openSpender(1_000_000n);
  system().pause('tx-worker');
  const waiting = agent.pay(5, { prefer: 'wait=20' });
  await waitUntil('the spend is accepted', () => agent.isQueued(5));
  const stopped = system().kill('api', 'SIGTERM');
  await untilApiIsSilent();
  system().resume('tx-worker');
  expect(await waiting).toMatchObject({ status: 200 });
  await stopped;
  await system().restart('api');
});

test('an api that is told to stop delivers what is being paid for', async () => {
  const agent = await openSpender(1_000_000n);
  const { recipient: payTo } = agent;
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
  const waiting = agent.post('/v1/spend/service', { slug: 'slow', max_amount: 5 });
  await arrived.wait(60_000);
  const stopped = system().kill('api', 'SIGTERM');
  await untilApiIsSilent();
  mayAnswer.open();
  const answer = await waiting;
  expect(answer).toMatchObject({ status: 200, body: { answer: 42 } });
  expect(answer.headers.get('x-tx-signature')).toMatch(/^\w{64,88}$/);
  await stopped;
  await system().restart('api');
});

test('the blast radius of a session is what the chain lets its key move, to the base unit', async () => {
  const agent = await openSpender(5_000_000n, { maxPerTx: 1_000n, dailyCap: 2_500n });
  const path = `/v1/session/${agent.sessionId}/blast-radius`;
  const expectNow = async (of: string, now: string) =>
    expect((await asOwner(agent.owner, 'GET', of)).body).toMatchObject({ by_limits: { now } });

  expect(await agent.pay(300)).toMatchObject({ status: 200 });
  await expectNow(path, '2200');
  await expectNow('/v1/wallet/blast-radius', '2200');
  for (const amount of [1_000, 1_000, 200]) {
    expect(await agent.pay(amount)).toMatchObject({ status: 200 });
  }
  expect(await agent.pay(1)).toMatchObject({
    status: 402,
    body: {
      error: 'on-chain submission failed',
      layer: 'on-chain',
      detail: expect.stringContaining('DailyCapExceeded'),
    },
  });
  await expectNow(path, '0');
});

test('a window that closes between acceptance and claim refuses the spend unsent', async () => {
  const agent = await openSpender(1_000n);
  const open = { start_min: 0, end_min: 1_439, timezone: 'Asia/Kathmandu' };
  const setDays = (days: number) =>
    asOwner(agent.owner, 'PUT', '/v1/wallet/policy', {
      url_allowlist: [],
      time_window: { ...open, days },
    });
  expect(await setDays(127)).toMatchObject({ status: 200, body: { version: 1 } });
  expect(await agent.pay(1)).toMatchObject({ status: 200 });

  system().pause('tx-worker');
  const waiting = agent.pay(2);
  await waitUntil('the second spend is accepted', () => agent.isQueued(2));
  expect(await setDays(0)).toMatchObject({ status: 200, body: { version: 2 } });
  system().resume('tx-worker');
  const refused = await waiting;
  const reason = 'OUTSIDE_TIME_WINDOW';
  expect(refused).toMatchObject({
    status: 403,
    body: {
      error: reason,
      code: reason,
      layer: 'off-chain',
      opens_at: null,
      retryable: false,
      spend_id: expect.any(String),
    },
  });

  // One decision each: the lane's of the second spend, and the api's of the third.
  expect(await agent.pay(3)).toMatchObject({ status: 403 });
  const denied = await asOwner(agent.owner, 'GET', '/v1/audit?decision=deny');
  const { spend_id } = refused.body;
  expect(denied.body['items']).toMatchObject([
    { reason, amount: '3', tx_signature: null, spend_id: null },
    { reason, amount: '2', tx_signature: null, spend_id },
  ]);
  expect((await asOwner(agent.owner, 'GET', '/v1/wallet')).body).toMatchObject({ liquid: 999 });
});
