import { type AgentWalletError, isAgentWalletError } from '@agent-wallet/sdk';
import type { Agent } from './agent.ts';
import { inShort, inUsdc, USDC } from '../amounts.ts';
import { type Cast, type Grantee, readHoldings } from './cast.ts';
import { poll } from '../poll.ts';
import { expectConfirmed, expectMoved, expectRefusal } from '../acts/spending.ts';
import type { Stage } from '../stage.ts';

const AMOUNT = USDC / 4n;
const REVOCATION_TIMEOUT_MS = 60_000;

/** The owner rotates a key, then revokes the session. */
export async function takeBack(stage: Stage, cast: Cast, grantee: Grantee): Promise<void> {
  stage.reporter.chapter('The owner revokes access');
  const agent = await rotate(stage, cast, grantee);
  await revoke(stage, cast, grantee, agent);
}

async function rotate(stage: Stage, cast: Cast, grantee: Grantee): Promise<Agent> {
  return stage.reporter.step('rotate the key', async (step) => {
    const request = { recipient: cast.bakery, amount: AMOUNT };
    const before = await readHoldings(stage, cast);
    step.request('POST /v1/session/:id/rotate-key');
    const { api_key: newKey } = await cast.owner.rotateKey(grantee.session.session_id);
    const agent = stage.agentWith(newKey);
    step.reply('200 with a new key');
    step.request(`${inUsdc(AMOUNT)} to the bakery with the old key`);
    const old = await grantee.agent.transfer(request);
    expectRefusal(step, old, { status: 401, error: 'api key revoked' });
    step.request('the same with the new key');
    const reply = await agent.transfer(request);
    expectConfirmed(step, reply);
    if (reply.kind === 'confirmed') {
      const { status } = await agent.wallet.spend(reply.reply.spend_id);
      step.expect('status in GET /v1/spend/:id', 'confirmed', status);
    }
    await expectMoved(stage, cast, step, before, { bakery: AMOUNT });
    return agent;
  });
}

async function revoke(stage: Stage, cast: Cast, grantee: Grantee, agent: Agent): Promise<void> {
  const { chain, ended } = stage;
  const { session_id: sessionId, session_pda: sessionPda } = grantee.session;
  await stage.reporter.step('revoke the session on chain', async (step) => {
    const before = await readHoldings(stage, cast);
    step.request('POST /v1/session/:id/revoke');
    const transaction = await cast.owner.revoke(grantee.session);
    step.reply('200, an unsigned transaction');
    const signature = await chain.send(await transaction.sign());
    step.chain(`the owner signed and sent it: confirmed ${inShort(signature)}`);
    step.expect('the session account is on chain', false, await chain.exists(sessionPda));
    // The chain enforces it at once; the api does when the confirm-worker has read the event.
    const answer = await poll('401 for the revoked session', () => refusalOf(agent), {
      timeoutMs: REVOCATION_TIMEOUT_MS,
      ended,
    });
    step.expect('status of GET /v1/yield/position', 401, answer.status);
    step.expect('error', 'session revoked', answer.error);
    step.request(`${inUsdc(AMOUNT)} to the bakery with the session's key`);
    const reply = await agent.transfer({ recipient: cast.bakery, amount: AMOUNT });
    expectRefusal(step, reply, { status: 401, error: 'session revoked' });
    step.expect('status for the owner', 'revoked', (await cast.owner.session(sessionId)).status);
    await expectMoved(stage, cast, step, before, {});
  });
}

/** Why the agent may not read the position; null while it may. */
async function refusalOf({ wallet }: Agent): Promise<AgentWalletError | null> {
  try {
    await wallet.position();
    return null;
  } catch (error) {
    if (isAgentWalletError(error)) return error;
    throw error;
  }
}
