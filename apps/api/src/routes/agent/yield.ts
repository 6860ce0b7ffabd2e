import { accruedOf } from '@agent-wallet/chain';
import {
  pendingAnswer,
  yieldBody,
  yieldDepositAnswer,
  yieldPositionAnswer,
  yieldWithdrawAnswer,
} from '@agent-wallet/contract';
import { isAppError } from '@agent-wallet/errors';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { type Agent, recordDeployed, readDeployed } from '@agent-wallet/wallet';
import { createAnswerRequest, type SpendRouteDeps } from '../../spend/answer/answer-spend.ts';
import { sendPending } from '../../spend/answer/send-pending.ts';
import { readDeployedSince } from '../../chain/read-deployed-since.ts';
import { REFUSALS } from '../../http/http-refusal.ts';

/**
 * `liquid` null: the chain could not be read, and `deployed` is its last known value. `accrued`
 * null: unknown.
 */
type Position = {
  readonly liquid: bigint | null;
  readonly deployed: bigint;
  readonly accrued: bigint | null;
};

/**
 * Deposits to the yield reserve, withdrawals from it, and the vault's position, which a key can
 * read from its creation on.
 */
export function yieldRoutes(deps: SpendRouteDeps): FastifyPluginAsyncZod {
  const { agents, chain } = deps;
  const answerRequest = createAnswerRequest(deps);
  return async (app) => {
    app.addHook('onRequest', agents.authenticate);

    app.post(
      '/v1/yield/deposit',
      {
        config: {
          doc: {
            tag: 'Yield',
            caller: 'agent',
            summary: 'Deploy to the yield reserve',
            description:
              "Up to max_deployed_fraction_bp of the balance; the session's bitmap must permit it.",
            errors: ['YIELD_DISABLED'],
            movesMoney: true,
          },
        },
        schema: {
          body: yieldBody,
          response: { 200: yieldDepositAnswer, 202: pendingAnswer, ...REFUSALS },
        },
      },
      async (request, reply) => {
        const { amount } = request.body;
        const requested = { kind: 'yield_deposit', amount, recipient: null, url: null } as const;
        const answer = await answerRequest(request, requested);
        const { spend } = answer;
        if (answer.kind === 'pending') return sendPending(reply, spend);
        const deployed = await readDeployedSince(chain, agents.agentOf(request), spend.landedSlot);
        return reply.code(200).send({
          tx_signature: answer.txSignature,
          status: 'confirmed',
          deployed: deployed?.toString() ?? null,
          spend_id: spend.spendId,
        });
      },
    );

    app.post(
      '/v1/yield/withdraw',
      {
        config: {
          doc: {
            tag: 'Yield',
            caller: 'agent',
            summary: 'Withdraw from the yield reserve',
            description: 'At most what is deployed. It needs nothing that is liquid.',
            errors: ['YIELD_DISABLED', 'PARTIAL_LIQUIDITY'],
            movesMoney: true,
          },
        },
        schema: {
          body: yieldBody,
          response: { 200: yieldWithdrawAnswer, 202: pendingAnswer, ...REFUSALS },
        },
      },
      async (request, reply) => {
        const { amount } = request.body;
        const requested = { kind: 'yield_withdraw', amount, recipient: null, url: null } as const;
        const answer = await answerRequest(request, requested);
        const { spend } = answer;
        if (answer.kind === 'pending') return sendPending(reply, spend);
        return reply.code(200).send({ tx_signature: answer.txSignature, spend_id: spend.spendId });
      },
    );

    app.get(
      '/v1/yield/position',
      {
        config: {
          doc: {
            tag: 'Yield',
            caller: 'agent',
            summary: 'Read the position of the vault',
            description: 'No side effects; a good first call to try a key.',
          },
        },
        schema: { response: { 200: yieldPositionAnswer, ...REFUSALS } },
      },
      async (request) => {
        const { liquid, deployed, accrued } = await readPosition(deps, agents.agentOf(request));
        return {
          liquid: liquid?.toString() ?? null,
          deployed: deployed.toString(),
          accrued: accrued?.toString() ?? null,
          total_balance: ((liquid ?? 0n) + deployed).toString(),
        };
      },
    );
  };
}

async function readPosition(
  { db, chain }: Pick<SpendRouteDeps, 'db' | 'chain'>,
  agent: Agent,
): Promise<Position> {
  try {
    const { liquid, vault, yield: held } = await chain.readPosition(agent, []);
    const deployed = vault?.deployedAmount ?? 0n;
    await recordDeployed(db, agent.walletId, deployed);
    const accrued = held === null ? null : accruedOf(held.reserve, held.collateral, deployed);
    return { liquid, deployed, accrued };
  } catch (error) {
    if (!isAppError(error, 'RPC_UNAVAILABLE')) throw error;
    const deployed = await readDeployed(db, agent.walletId);
    return { liquid: null, deployed, accrued: null };
  }
}
