import { setTimeout as delay } from 'node:timers/promises';
import { sql } from 'slonik';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import {
  createHttpOwner,
  callApi,
  type HttpAnswer,
  type HttpOwner,
} from '../support/http/http-owner.ts';
import { createLaneFixture, type LaneFixture } from '../support/system/lane-fixture.ts';
import { useSystem } from '../support/system/use-system.ts';
import { waitUntil } from '../support/wait-until.ts';

const system = useSystem();
let fixture: LaneFixture;
beforeAll(async () => {
  fixture = await createLaneFixture(system());
});
afterAll(async () => {
  await fixture[Symbol.asyncDispose]();
});

const SESSIONS = 20;
const FUNDS = 1_000_000_000n;

type Burst = {
  readonly owner: HttpOwner;
  readonly recipients: readonly string[];
  readonly answers: readonly HttpAnswer[];
};

/** Sends `perSession` transfers at once on each of `sessions` sessions, each of another amount. */
async function burst(sessions: number, perSession: number): Promise<Burst> {
  const recipients = await Promise.all([fixture.createRecipient(), fixture.createRecipient()]);
  const owner = await createHttpOwner(system(), fixture, FUNDS);
  const keys = await Promise.all(
    Array.from({ length: sessions }, () => owner.createSession({ recipients })),
  );
  const requests = keys.flatMap(({ apiKey }, session) =>
    Array.from({ length: perSession }, (_, n) =>
      callApi(system(), 'POST', '/v1/spend/transfer', {
        headers: { authorization: `Bearer ${apiKey}` },
        body: { recipient: recipients[n % 2], amount: 1_000 + session * perSession + n },
      }),
    ),
  );
  return { owner, recipients, answers: await Promise.all(requests) };
}

const spendRow = z.object({
  status: z.string(),
  code: z.string().nullable(),
  amount: z.bigint(),
  recipient: z.string(),
  txSignature: z.string().nullable(),
});

function sum(amounts: readonly { readonly amount: bigint }[]): bigint {
  return amounts.reduce((total, { amount }) => total + amount, 0n);
}

/** Every spend has come to rest, and rows, audit and chain agree to the unit. */
async function expectAllToAgree({ owner, recipients, answers }: Burst): Promise<void> {
  const { db, program, rpc } = fixture;
  const unsettled = z.object({ open: z.number() });
  await waitUntil(
    'no open spend',
    async () =>
      (await db.oneFirst(sql.type(unsettled)`
        select count(*)::int as open from spend
        where wallet_id = ${owner.walletId}::uuid and status in ('queued', 'in_flight')
      `)) === 0,
    { timeoutMs: 60_000, intervalMs: 250 },
  );
  const spends = await db.any(sql.type(spendRow)`
    select status, code, amount, recipient, tx_signature as "txSignature" from spend
    where wallet_id = ${owner.walletId}::uuid
  `);
  expect(spends).toHaveLength(answers.length);
  const paid = spends.filter(({ status }) => status === 'confirmed' || status === 'finalized');
  // Nothing here breaks a rule, so the only right refusal is that it was never sent.
  const refused = spends.filter(({ status }) => status === 'rejected');
  expect(paid.length + refused.length).toBe(spends.length);
  expect(new Set(refused.map(({ code }) => code))).toEqual(
    new Set(refused.length === 0 ? [] : ['EXPIRED_UNSENT']),
  );

  expect(await fixture.balance(owner.vaultUsdcAta)).toBe(FUNDS - sum(paid));
  for (const recipient of recipients) {
    const received = paid.filter((spend) => spend.recipient === recipient);
    const account = program.addresses.usdcAta(recipient);
    expect(await fixture.balance(account)).toBe(sum(received));
  }

  const signatures = paid.map(({ txSignature }) => txSignature ?? '');
  expect(new Set(signatures).size).toBe(paid.length);
  const { statuses } = await rpc.signatureStatuses(signatures, { searchHistory: true });
  expect(statuses.filter((status) => status?.err === null)).toHaveLength(paid.length);

  const decisions = await db.any(sql.type(
    z.object({ decision: z.string(), rows: z.number(), spends: z.number() }),
  )`
    select decision, count(*)::int as rows, count(distinct spend_id)::int as spends from audit
    where wallet_id = ${owner.walletId}::uuid and spend_id is not null
    group by decision order by decision
  `);
  const counted = [
    { decision: 'allow', rows: paid.length, spends: paid.length },
    { decision: 'deny', rows: refused.length, spends: refused.length },
  ];
  expect(decisions).toEqual(counted.filter(({ rows }) => rows > 0));
}

/** Whether an answer is a right one: paid, a place to look, or provably never sent. */
function isRightAnswer({ status, body, headers }: HttpAnswer): boolean {
  switch (status) {
    case 200:
      return body['status'] === 'confirmed' && typeof body['tx_signature'] === 'string';
    case 202:
      return headers.get('location') === `/v1/spend/${String(body['spend_id'])}`;
    case 503:
      return body['error'] === 'rpc unavailable' && body['code'] === 'EXPIRED_UNSENT';
    default:
      return false;
  }
}

function expectRightAnswers(answers: readonly HttpAnswer[]): void {
  expect(answers.filter((answer) => !isRightAnswer(answer))).toEqual([]);
}

describe('a burst of concurrent transfers', () => {
  test('200 over 20 sessions: right answers, one landing and one decision each', async () => {
    const done = await burst(SESSIONS, 10);
    expectRightAnswers(done.answers);
    await expectAllToAgree(done);
  }, 150_000);

  test.each([20, 200])(
    '%i on one session: right answers, one landing and one decision each',
    async (count) => {
      const done = await burst(1, count);
      expectRightAnswers(done.answers);
      await expectAllToAgree(done);
    },
    150_000,
  );

  test('the same with kill -9 of each worker in the middle', async () => {
    const running = burst(SESSIONS, 10);
    for (const worker of ['tx-worker', 'confirm-worker']) {
      await spendsUnderWay();
      await system().kill(worker, 'SIGKILL');
      await system().restart(worker);
    }
    const done = await running;
    expectRightAnswers(done.answers);
    await expectAllToAgree(done);
  }, 200_000);
});

/** Waits until some spends are in flight and more are queued behind them. */
async function spendsUnderWay(): Promise<void> {
  const counts = z.object({ queued: z.number(), inFlight: z.number() });
  await waitUntil(
    'spends under way',
    async () => {
      const { queued, inFlight } = await fixture.db.one(sql.type(counts)`
        select count(*) filter (where status = 'queued')::int as queued,
          count(*) filter (where status = 'in_flight')::int as "inFlight"
        from spend
      `);
      return queued > 20 && inFlight > 5;
    },
    { timeoutMs: 60_000 },
  );
  await delay(Math.random() * 200);
}
