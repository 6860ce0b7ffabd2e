import { refusal, spendAnswer } from '@agent-wallet/contract';
import type { Agent } from './agent.ts';
import { inShort, inUsdc, USDC } from '../amounts.ts';
import { bodyOf } from './call-api.ts';
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
    const agent = stage.agentWith(await cast.owner.rotateKey(grantee.sessionId));
    step.reply('200 with a new key');
    step.request(`${inUsdc(AMOUNT)} to the bakery with the old key`);
    const old = await grantee.agent.transfer(request);
    expectRefusal(step, old, { status: 401, error: 'api key revoked' });
    step.request('the same with the new key');
    const reply = await agent.transfer(request);
    expectConfirmed(step, reply);
    if (reply.kind === 'confirmed') {
      const seen = bodyOf(await agent.get(`/v1/spend/${reply.spendId}`), spendAnswer);
      step.expect('status in GET /v1/spend/:id', 'confirmed', seen.status);
    }
    await expectMoved(stage, cast, step, before, { bakery: AMOUNT });
    return agent;
  });
}

async function revoke(stage: Stage, cast: Cast, grantee: Grantee, agent: Agent): Promise<void> {
  const { chain, ended } = stage;
  const { sessionId, sessionPda } = grantee;
  await stage.reporter.step('revoke the session on chain', async (step) => {
    const before = await readHoldings(stage, cast);
    step.request('POST /v1/session/:id/revoke');
    const txBase64 = await cast.owner.revoke(sessionId);
    step.reply('200, an unsigned transaction');
    const signature = await chain.signAndSend(txBase64, cast.owner.keypair);
    step.chain(`the owner signed and sent it: confirmed ${inShort(signature)}`);
    step.expect('the session account is on chain', false, await chain.exists(sessionPda));
    // The chain enforces it at once; the api does when the confirm-worker has read the event.
    const answer = await poll(
      '401 for the revoked session',
      async () => {
        const seen = await agent.position();
        return seen.status === 200 ? null : seen;
      },
      { timeoutMs: REVOCATION_TIMEOUT_MS, ended },
    );
    step.expect('status of GET /v1/yield/position', 401, answer.status);
    step.expect('error', 'session revoked', refusal.parse(answer.body).error);
    step.request(`${inUsdc(AMOUNT)} to the bakery with the session's key`);
    const reply = await agent.transfer({ recipient: cast.bakery, amount: AMOUNT });
    expectRefusal(step, reply, { status: 401, error: 'session revoked' });
    step.expect('status for the owner', 'revoked', (await cast.owner.session(sessionId)).status);
    await expectMoved(stage, cast, step, before, {});
  });
}
