import { sql } from 'slonik';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import {
  callApi,
  createHttpOwner,
  type HttpAnswer,
  type HttpOwner,
} from '../../../../tests/support/http/http-owner.ts';
import {
  createLaneFixture,
  type LaneFixture,
} from '../../../../tests/support/system/lane-fixture.ts';
import { useSystem } from '../../../../tests/support/system/use-system.ts';
import { waitUntil } from '../../../../tests/support/wait-until.ts';

const system = useSystem();
let fixture: LaneFixture;
beforeAll(async () => {
  fixture = await createLaneFixture(system());
});
afterAll(() => fixture[Symbol.asyncDispose]());

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH';

const asOwner = (
  owner: HttpOwner,
  method: Method,
  path: string,
  body?: object,
): Promise<HttpAnswer> =>
  callApi(system(), method, path, { headers: { cookie: owner.cookie }, body });

/** Asks for a transaction, signs it and sends it. */
async function change(owner: HttpOwner, method: Method, path: string, body: object): Promise<void> {
  const answer = await asOwner(owner, method, path, body);
  expect(answer).toMatchObject({ status: 200, body: { txBase64: expect.any(String) } });
  await fixture.ownerSends(owner.keypair, String(answer.body['txBase64']));
}

const transfer = (apiKey: string, recipient: string, amount: number): Promise<HttpAnswer> =>
  callApi(system(), 'POST', '/v1/spend/transfer', {
    headers: { authorization: `Bearer ${apiKey}` },
    body: { recipient, amount },
  });

const refusedBy = (name: string) => ({
  status: 402,
  body: {
    error: 'on-chain submission failed',
    layer: 'on-chain',
    detail: expect.stringContaining(name),
  },
});

test('an owner changes a session over HTTP, and the chain holds its agent to the change', async () => {
  const [before, after] = [await fixture.createRecipient(), await fixture.createRecipient()];
  const owner = await createHttpOwner(system(), fixture, 5_000_000n);
  const session = await owner.createSession({ recipients: [before] });
  const path = `/v1/session/${session.sessionId}`;

  expect(await transfer(session.apiKey, after, 1)).toMatchObject(refusedBy('RecipientNotAllowed'));
  await change(owner, 'PUT', `${path}/recipients`, { allowed_recipients: [after] });
  expect(await transfer(session.apiKey, after, 1_000)).toMatchObject({ status: 200 });
  expect(await transfer(session.apiKey, before, 1)).toMatchObject(refusedBy('RecipientNotAllowed'));

  await change(owner, 'PATCH', path, { max_per_tx: 500 });
  expect(await transfer(session.apiKey, after, 501)).toMatchObject(
    refusedBy('AmountExceedsMaxPerTx'),
  );
  const expiry = Math.floor(Date.now() / 1_000) + 7_200;
  await change(owner, 'PATCH', path, { daily_cap: 1_400, expiry });
  expect(await transfer(session.apiKey, after, 401)).toMatchObject(refusedBy('DailyCapExceeded'));
  expect((await asOwner(owner, 'GET', path)).body).toMatchObject({
    status: 'live',
    allowed_recipients: [after],
    max_per_tx: 500,
    daily_cap: 1_400,
    daily_spent: 1_000,
    daily_remaining: 400,
    expiry,
    allowed_instructions: 1,
  });
  await change(owner, 'PATCH', path, { allowed_instructions: 6 });
  expect(await transfer(session.apiKey, after, 1)).toMatchObject(
    refusedBy('InstructionNotAllowed'),
  );
});

test('the blast radius of a session is what the chain lets its key move, to the base unit', async () => {
  const recipient = await fixture.createRecipient();
  const owner = await createHttpOwner(system(), fixture, 5_000_000n);
  const limits = { recipients: [recipient], maxPerTx: 1_000n, dailyCap: 2_500n };
  const session = await owner.createSession(limits);
  const path = `/v1/session/${session.sessionId}/blast-radius`;
  const readNow = async (of: string): Promise<unknown> =>
    z
      .object({ by_limits: z.object({ now: z.string() }) })
      .parse((await asOwner(owner, 'GET', of)).body).by_limits.now;

  expect(await transfer(session.apiKey, recipient, 300)).toMatchObject({ status: 200 });
  expect([await readNow(path), await readNow('/v1/wallet/blast-radius')]).toEqual(['2200', '2200']);
  for (const amount of [1_000, 1_000, 200]) {
    expect(await transfer(session.apiKey, recipient, amount)).toMatchObject({ status: 200 });
  }
  expect(await transfer(session.apiKey, recipient, 1)).toMatchObject(refusedBy('DailyCapExceeded'));
  expect(await readNow(path)).toBe('0');
});

test('an owner pauses, sets the fraction and takes the money out, with what the api builds', async () => {
  const recipient = await fixture.createRecipient();
  const owner = await createHttpOwner(system(), fixture, 1_000n);
  const session = await owner.createSession({ recipients: [recipient] });

  await change(owner, 'POST', '/v1/wallet/pause', {});
  expect(await transfer(session.apiKey, recipient, 1)).toMatchObject(refusedBy('VaultPaused'));
  await change(owner, 'POST', '/v1/wallet/max-deployed-fraction', {
    max_deployed_fraction_bp: 2_500,
  });
  expect((await asOwner(owner, 'GET', '/v1/wallet')).body).toMatchObject({
    paused: true,
    max_deployed_fraction_bp: 2_500,
    liquid: 1_000,
  });

  // Paused or not, the money is the owner's; the account it goes to does not exist yet.
  const own = fixture.program.addresses.usdcAta(owner.keypair.publicKey.toBase58());
  await change(owner, 'POST', '/v1/wallet/withdraw', { amount: 300 });
  expect(await fixture.balance(own)).toBe(300n);
  await change(owner, 'POST', '/v1/wallet/pause', { paused: false });
  expect(await transfer(session.apiKey, recipient, 200)).toMatchObject({ status: 200 });
  await change(owner, 'POST', '/v1/wallet/withdraw', { amount: 'all', destination: own });
  expect(await fixture.balance(own)).toBe(800n);
  expect((await asOwner(owner, 'GET', '/v1/wallet')).body).toMatchObject({
    paused: false,
    liquid: 0,
  });
  expect(await asOwner(owner, 'POST', '/v1/wallet/withdraw', { amount: 'all' })).toMatchObject({
    status: 409,
    body: { error: 'nothing to withdraw' },
  });
});

test('a window that closes between acceptance and claim refuses the spend unsent', async () => {
  const recipient = await fixture.createRecipient();
  const owner = await createHttpOwner(system(), fixture, 1_000n);
  const session = await owner.createSession({ recipients: [recipient] });
  const open = { start_min: 0, end_min: 1_439, days: 127, timezone: 'Asia/Kathmandu' };
  const set = (days: number) =>
    asOwner(owner, 'PUT', '/v1/wallet/policy', {
      url_allowlist: [],
      time_window: { ...open, days },
    });
  expect(await set(127)).toMatchObject({ status: 200, body: { version: 1 } });
  expect(await transfer(session.apiKey, recipient, 1)).toMatchObject({ status: 200 });

  system().pause('tx-worker');
  const waiting = transfer(session.apiKey, recipient, 2);
  await waitUntil('the second spend is accepted', () =>
    fixture.db.exists(sql.unsafe`
      select 1 from spend
      where session_id = ${session.sessionId}::uuid and status = 'queued' and amount = 2
    `),
  );
  expect(await set(0)).toMatchObject({ status: 200, body: { version: 2 } });
  system().resume('tx-worker');
  const refused = await waiting;
  expect(refused).toMatchObject({
    status: 403,
    body: {
      error: 'OUTSIDE_TIME_WINDOW',
      code: 'OUTSIDE_TIME_WINDOW',
      layer: 'off-chain',
      opens_at: null,
      retryable: false,
      spend_id: expect.any(String),
    },
  });

  // One decision each: the one that the lane made, and the one that the api made of the next ask.
  expect(await transfer(session.apiKey, recipient, 3)).toMatchObject({ status: 403 });
  const denied = (await asOwner(owner, 'GET', '/v1/audit?decision=deny')).body['items'];
  expect(denied).toMatchObject([
    { reason: 'OUTSIDE_TIME_WINDOW', amount: '3', tx_signature: null, spend_id: null },
    {
      reason: 'OUTSIDE_TIME_WINDOW',
      amount: '2',
      tx_signature: null,
      spend_id: refused.body['spend_id'],
    },
  ]);
  expect((await asOwner(owner, 'GET', '/v1/wallet')).body).toMatchObject({ liquid: 999 });
});
