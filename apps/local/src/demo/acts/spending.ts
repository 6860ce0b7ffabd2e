import { inShort, inUsdc, USDC } from '../amounts.ts';
import { type Cast, type Holdings, readHoldings } from '../cast/cast.ts';
import type { Payment, Told } from '../cast/agent.ts';
import type { Step } from '../reporter.ts';
import { type Agents, SHOPPER_DAILY_CAP, SHOPPER_MAX_PER_TX } from './sessions.ts';
import type { Stage } from '../stage.ts';

const FIRST_AMOUNT = (5n * USDC) / 2n;
const HOUR_SECONDS = 3_600;

/** An agent pays, then repeats the request. */
export async function spendWithinLimits(stage: Stage, cast: Cast, agents: Agents): Promise<void> {
  stage.reporter.chapter('An agent spends');
  const first = { recipient: cast.bakery, amount: FIRST_AMOUNT, idempotencyKey: 'bread-1' };
  const paid = await payOnce(stage, cast, agents, first);
  await payAgain(stage, cast, agents, first, paid);
}

async function payOnce(
  stage: Stage,
  cast: Cast,
  { shopper }: Agents,
  request: Payment,
): Promise<Told> {
  return stage.reporter.step('an allowed transfer', async (step) => {
    step.request(
      `POST /v1/spend/transfer ${inUsdc(request.amount)} to the bakery, Idempotency-Key`,
    );
    const before = await readHoldings(stage, cast);
    const reply = await shopper.agent.transfer(request);
    expectConfirmed(step, reply);
    await expectMoved(stage, cast, step, before, { bakery: request.amount });
    return reply;
  });
}

async function payAgain(
  stage: Stage,
  cast: Cast,
  { shopper }: Agents,
  request: Payment,
  first: Told,
): Promise<void> {
  const { agent } = shopper;
  await stage.reporter.step('the same request repeated', async (step) => {
    step.request('the same body under the same Idempotency-Key');
    const before = await readHoldings(stage, cast);
    const reply = await agent.transfer(request);
    expectConfirmed(step, reply);
    step.expect('the reply of the first time', first, reply);
    step.request('another amount under the same Idempotency-Key');
    const other = await agent.transfer({ ...request, amount: request.amount + 1n });
    expectRefusal(step, other, { status: 409, error: 'idempotency key reused' });
    await expectMoved(stage, cast, step, before, {});
  });
}

/** Spends exactly the daily cap, with one attempt above it in between. */
export async function spendToTheCap(stage: Stage, cast: Cast, agents: Agents): Promise<void> {
  const { session, agent } = agents.shopper;
  await stage.reporter.step('above the daily cap', async (step) => {
    const before = await readHoldings(stage, cast);
    const room = SHOPPER_DAILY_CAP - FIRST_AMOUNT;
    const last = room % SHOPPER_MAX_PER_TX;
    for (let spent = last; spent < room; spent += SHOPPER_MAX_PER_TX) {
      step.request(`${inUsdc(SHOPPER_MAX_PER_TX)} to the printer`);
      const request = { recipient: cast.printer, amount: SHOPPER_MAX_PER_TX };
      expectConfirmed(step, await agent.transfer(request));
    }
    step.request(`${inUsdc(last + 1n)} to the printer, one base unit above what is left today`);
    const refused = await agent.transfer({ recipient: cast.printer, amount: last + 1n });
    expectOnChainRefusal(step, refused, 'DailyCapExceeded');
    expectResetsWithinADay(step, refused);
    step.request(`${inUsdc(last)} to the printer, exactly what is left`);
    expectConfirmed(step, await agent.transfer({ recipient: cast.printer, amount: last }));
    const now = await cast.owner.session(session.session_id);
    step.expect('daily_spent', SHOPPER_DAILY_CAP, now.daily_spent);
    step.expect('daily_remaining', 0n, now.daily_remaining);
    await expectMoved(stage, cast, step, before, { printer: room });
  });
}

function expectResetsWithinADay(step: Step, told: Told): void {
  const resetsAt = told.kind === 'refused' ? (told.refusal.details.resets_at ?? 0) : 0;
  const hours = (resetsAt - Date.now() / 1000) / HOUR_SECONDS;
  // Spends are counted by the hour, so one counts for 24 to 25 hours.
  step.expect('resets_at is 23 to 25 hours away', true, hours > 23 && hours <= 25);
  step.reply(`resets_at ${resetsAt}, in ${hours.toFixed(1)} hours`);
}

/** Expects the reply of a confirmed spend. */
export function expectConfirmed(step: Step, told: Told): void {
  if (told.kind === 'confirmed') {
    step.reply(`200 confirmed, tx_signature ${inShort(told.reply.tx_signature)}`);
    return;
  }
  step.reply(describe(told));
  step.expect('status', 200, statusOf(told));
}

/** Expects the reply of a refused spend, by its status and `error`. */
export function expectRefusal(
  step: Step,
  told: Told<unknown>,
  expected: { readonly status: number; readonly error: string },
): void {
  step.reply(describe(told));
  step.expect('status', expected.status, statusOf(told));
  if (told.kind === 'refused') step.expect('error', expected.error, told.refusal.error);
}

/** Expects a refusal by the program, named in `detail`. */
export function expectOnChainRefusal(step: Step, told: Told, name: string): void {
  expectRefusal(step, told, { status: 402, error: 'on-chain submission failed' });
  if (told.kind === 'refused') step.expectPart('detail', name, told.refusal.detail ?? undefined);
}

/** The HTTP status behind what the client told. */
export function statusOf(told: Told<unknown>): number | null {
  if (told.kind === 'refused') return told.refusal.status;
  return told.kind === 'confirmed' ? 200 : 202;
}

function describe(told: Told<unknown>): string {
  if (told.kind !== 'refused') return `${statusOf(told)} ${told.kind}`;
  const { error, detail } = told.refusal;
  return `${statusOf(told)} ${error}${detail === null ? '' : `: ${detail}`}`;
}

/** Expects that since `before` the vault paid exactly `received` and no one else was paid. */
export async function expectMoved(
  stage: Stage,
  cast: Cast,
  step: Step,
  before: Holdings,
  received: { readonly bakery?: bigint; readonly printer?: bigint },
): Promise<void> {
  const { bakery = 0n, printer = 0n } = received;
  const now = await readHoldings(stage, cast);
  const moved = {
    vault: now.vault - before.vault,
    bakery: now.bakery - before.bakery,
    printer: now.printer - before.printer,
    stranger: now.stranger - before.stranger,
  };
  const total = bakery + printer;
  step.expect('balances moved by', { vault: -total, bakery, printer, stranger: 0n }, moved);
  step.chain(
    total === 0n && moved.vault === 0n
      ? `nothing moved, the vault holds ${inUsdc(now.vault)}`
      : `vault ${inUsdc(moved.vault)}, bakery +${inUsdc(moved.bakery)}, printer +${inUsdc(moved.printer)}`,
  );
}
