import { refusal } from '@agent-wallet/contract';
import { inUsdc, USDC } from '../amounts.ts';
import { type Cast, readHoldings } from '../cast/cast.ts';
import { type Agents, SHOPPER_MAX_PER_TX } from './sessions.ts';
import { expectMoved, expectOnChainRefusal, expectRefusal } from './spending.ts';
import type { Payment } from '../cast/agent.ts';
import { callJson } from '../cast/call-json.ts';
import type { Stage } from '../stage.ts';

/** An agent tries each thing that it must not do. */
export async function tryTheLimits(stage: Stage, cast: Cast, agents: Agents): Promise<void> {
  const { bakery, stranger, unbanked } = cast;
  stage.reporter.chapter('What the agent may not do');
  await refusedByProgram(stage, cast, agents, {
    title: 'a recipient that is not on the list',
    text: `${inUsdc(USDC)} to a stranger`,
    request: { recipient: stranger, amount: USDC },
    names: ['RecipientNotAllowed'],
  });
  await refusedByProgram(stage, cast, agents, {
    title: 'above max_per_tx',
    text: `${inUsdc(SHOPPER_MAX_PER_TX + 1n)} to the bakery, one base unit too much`,
    request: { recipient: bakery, amount: SHOPPER_MAX_PER_TX + 1n },
    names: ['AmountExceedsMaxPerTx'],
  });
  await refusedByProgram(stage, cast, agents, {
    title: 'an allowed recipient without a token account',
    text: `${inUsdc(USDC)} to the unbanked payee`,
    request: { recipient: unbanked, amount: USDC },
    names: ['0xbc4', 'AccountNotInitialized'],
  });
  await moreThanThereIs(stage, cast, agents);
  await agentKeyOnOwnerEndpoints(stage, agents);
}

async function refusedByProgram(
  stage: Stage,
  cast: Cast,
  { shopper }: Agents,
  trial: {
    readonly title: string;
    readonly text: string;
    readonly request: Payment;
    readonly names: readonly string[];
  },
): Promise<void> {
  await stage.reporter.step(trial.title, async (step) => {
    step.request(trial.text);
    const before = await readHoldings(stage, cast);
    const reply = await shopper.agent.transfer(trial.request);
    const [first = '', ...others] = trial.names;
    expectOnChainRefusal(step, reply, first);
    const detail = reply.kind === 'refused' ? (reply.refusal.detail ?? undefined) : undefined;
    for (const name of others) step.expectPart('detail', name, detail);
    await expectMoved(stage, cast, step, before, {});
  });
}

async function moreThanThereIs(stage: Stage, cast: Cast, { shopper }: Agents): Promise<void> {
  await stage.reporter.step('more than the liquid balance', async (step) => {
    const before = await readHoldings(stage, cast);
    const amount = before.vault + USDC;
    step.request(`${inUsdc(amount)} to the bakery, with ${inUsdc(before.vault)} in the vault`);
    const reply = await shopper.agent.transfer({ recipient: cast.bakery, amount });
    expectRefusal(step, reply, { status: 402, error: 'INSUFFICIENT_LIQUID' });
    if (reply.kind === 'refused') {
      const { details } = reply.refusal;
      const { liquid = -1n, amount: echoed = -1n, deficit = -1n, reserved = 0n } = details;
      step.reply(`liquid ${liquid}, amount ${echoed}, deficit ${deficit}, reserved ${reserved}`);
      step.expect('liquid', before.vault, liquid);
      step.expect('amount', amount, echoed);
      // A transfer that landed in the slot of the balance is still reserved.
      step.expect('deficit', USDC + reserved, deficit);
    }
    await expectMoved(stage, cast, step, before, {});
  });
}

async function agentKeyOnOwnerEndpoints(stage: Stage, { shopper }: Agents): Promise<void> {
  const headers = { authorization: `Bearer ${shopper.apiKey}` };
  await stage.reporter.step('an agent key on owner endpoints', async (step) => {
    for (const path of ['/v1/audit', '/v1/fund/deposit-address', '/v1/session']) {
      step.request(`GET ${path} with the agent's key`);
      const answer = await callJson(new URL(path, stage.apiUrl), { headers }, stage.ended);
      const { error } = refusal.parse(answer.body);
      step.reply(`${answer.status} ${error}`);
      step.expect('status', 401, answer.status);
      step.expect('error', 'invalid jwt', error);
    }
  });
}
