/** Bursts of concurrent transfers on a whole system, and the check that everything agrees after one. */
import { sql } from 'slonik';
import { expect } from 'vitest';
import { z } from 'zod';
import type { System } from '@agent-wallet/local-system/system/start-system.ts';
import {
  createHttpOwner,
  callApi,
  type HttpAnswer,
  type HttpOwner,
} from '../support/http/http-owner.ts';
import type { LaneFixture } from '../support/system/lane-fixture.ts';
import { waitUntil } from '../support/wait-until.ts';

export const SESSIONS = 20;
const FUNDS = 1_000_000_000n;

export type Burst = {
  readonly fixture: LaneFixture;
  readonly owner: HttpOwner;
  readonly recipients: readonly string[];
  readonly answers: readonly HttpAnswer[];
};

/** Sends `perSession` transfers at once on each of `sessions` sessions, each of another amount. */
export async function burst(
  system: System,
  fixture: LaneFixture,
  { sessions, perSession }: { readonly sessions: number; readonly perSession: number },
): Promise<Burst> {
  const recipients = await Promise.all([fixture.createRecipient(), fixture.createRecipient()]);
  const owner = await createHttpOwner(system, fixture, FUNDS);
  const keys = await Promise.all(
    Array.from({ length: sessions }, () => owner.createSession({ recipients })),
  );
  const requests = keys.flatMap(({ apiKey }, session) =>
    Array.from({ length: perSession }, (_, n) =>
      callApi(system, 'POST', '/v1/spend/transfer', {
        headers: { authorization: `Bearer ${apiKey}` },
        body: { recipient: recipients[n % 2], amount: 1_000 + session * perSession + n },
      }),
    ),
  );
  return { fixture, owner, recipients, answers: await Promise.all(requests) };
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

/** Every answer is right, every spend comes to rest, and rows, audit and chain agree to the unit. */
export async function expectAllToAgree({
  fixture,
  owner,
  recipients,
  answers,
}: Burst): Promise<void> {
  expectRightAnswers(answers);
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
