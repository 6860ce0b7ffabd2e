import {
  pendingAnswer,
  yieldBody,
  yieldDepositAnswer,
  yieldPositionAnswer,
  yieldWithdrawAnswer,
} from '@agent-wallet/contract';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { createAnswerRequest, type SpendRouteDeps } from '../../spend/answer/answer-spend.ts';
import { sendPending } from '../../spend/answer/send-pending.ts';
import { readDeployedSince } from '../../chain/read-deployed-since.ts';
import { REFUSALS } from '../../http/http-refusal.ts';
import { describePosition } from '../../wallet/yield-position.ts';

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
      async (request) => describePosition(deps, agents.agentOf(request)),
    );
  };
}
